"""The form of a repository's binding in a channel. A button of ``setup``'s answer opens it and
holds the binding's state, so it works after a restart and whichever replica receives it.
"""

from __future__ import annotations

import json
from typing import Any

from adapters.slack import places
from adapters.slack.incoming.forms.modals import open_modal
from adapters.slack.incoming.forms.views import REPOSITORY, SETUP_FIELDS, setup_form, state
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.payloads import Json, Recipient, place_of_press, team_of
from core.application.commands import Setup
from core.application.commands.named import repository_name
from core.application.commands.options import WrongOption, enter
from core.debate.errors import BadInput
from core.languages import say, say_error, speak, speaking


class Bindings:
    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    async def submitted(self, ack: Any, body: Json) -> None:
        """Saves the binding; a wrong entry changes nothing and is reported at its field."""
        with speaking(_memo(body["view"]).get("language", "")):
            try:
                request = _read_form(body["view"])
            except WrongOption as wrong:
                await ack(response_action="errors", errors={wrong.option.field: say_error(wrong)})
            except BadInput as wrong:
                await ack(response_action="errors", errors={REPOSITORY: say_error(wrong)})
            else:
                await ack()
                self._listener.go(body, self._take(body, request))

    async def opened(self, body: Json) -> None:
        where, _ = place_of_press(body)
        language = await self._listener.form_language(where, str(body["user"]["id"]))
        speak(language)
        setup = _stood(str(body["actions"][0].get("value") or ""))
        form = setup_form(setup, where.channel, language)
        await open_modal(self._listener.workspaces, body, form)

    async def _take(self, body: Json, request: Setup) -> None:
        listener, view = self._listener, body["view"]
        where, user = places.place(team_of(body), _memo(view)["channel"]), str(body["user"]["id"])
        caller = await listener.caller(where, user, f"{where.workspace}/view/{view['id']}")
        answer = await listener.desk.take(request, caller)
        await listener.show(answer, Recipient(where, user))


def _memo(view: Json) -> dict[str, str]:
    memo: dict[str, str] = json.loads(view["private_metadata"])
    return memo


def _read_form(view: Json) -> Setup:
    """Raises ``BadInput``, for an option ``WrongOption``."""
    forge = _memo(view)["forge"]
    name = state(view, REPOSITORY).strip()
    if not name:
        raise BadInput(say("Name a repository, OWNER/REPO."))
    setup = Setup(repository_name(name, forge), forge=forge)
    return enter(setup, {each.field: state(view, each.field).strip() for each in SETUP_FIELDS})


def _stood(value: str) -> Setup:
    """Returns the binding's state in the button. Raises ``BadInput`` for a button without one."""
    try:
        kept = json.loads(value)
        return enter(Setup(kept["repository"], forge=kept["forge"]), kept)
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput(say("This button is too old. Write: /debate setup github")) from error
