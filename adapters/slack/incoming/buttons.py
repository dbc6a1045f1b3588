"""Listens for presses of our buttons, and for the one-line forms that some of them open."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from adapters.slack import places
from adapters.slack.incoming.forms.modals import open_modal
from adapters.slack.incoming.forms.views import LINE, line_form, state
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.offers import offer, read_offer
from adapters.slack.incoming.payloads import Json, Recipient, place_of_press, team_of
from core.application.commands import Start
from core.application.desk import Caller, DeskAnswer
from core.application.offers import AGREE
from core.application.place import Place
from core.languages import say, speak, speaking
from core.words.views.course.invitations import title


class Buttons:
    """Listens for presses. A button's action id and value hold all that is needed, so buttons from
    before a restart work too.
    """

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    async def chosen(self, body: Json) -> None:
        """Takes the choice in a menu as a press of the matching button."""
        action = body["actions"][0]
        option = action.get("selected_option") or {}
        kind, _, rest = str(option.get("value") or "").partition(".")
        name, _, value = rest.partition(".")
        button = {
            "action_id": f"debate.{kind}.{name}.0",
            "value": value,
            "text": option.get("text"),
        }
        meant = {**body, "actions": [{**action, **button}]}
        if kind == "form":
            await self.opened(meant)
        elif kind == "press":
            await self.pressed(meant)

    async def submitted(self, ack: Any, body: Json) -> None:
        text = state(body["view"], LINE).strip()
        if not text:
            memo = json.loads(body["view"]["private_metadata"])
            with speaking(memo.get("language", "")):
                await ack(response_action="errors", errors={LINE: say("Write a line first.")})
            return
        await ack()
        self._listener.go(body, self._submit(body, text))

    async def pressed(self, body: Json) -> None:
        listener = self._listener
        action = body["actions"][0]
        where, thread = place_of_press(body)
        user = str(body["user"]["id"])
        pressed = action.get("action_ts") or body.get("trigger_id")
        source = f"{where.workspace}/{where.channel}/{pressed}/{user}"
        caller = await listener.caller(where, user, source, thread=thread)
        await listener.speak_to(caller)
        name, value = _name(action), str(action.get("value") or "")
        if name == AGREE:
            answer = await self._start(value, where, caller)
        else:
            answer = await listener.desk.press(name, value, caller)
        url = str(body.get("response_url") or "")
        to = Recipient(where, user, _reply_thread(body), url)
        await listener.show(offer(answer, caller.source), to)

    async def _start(self, value: str, where: Place, caller: Caller) -> DeskAnswer:
        """Starts the priced request behind the pressed button, under the event that asked for
        it.
        """
        listener = self._listener
        request, source = read_offer(value)
        if isinstance(request, Start):
            await listener.require_member(where)
        return await listener.desk.take(request, replace(caller, source=source))

    async def opened(self, body: Json) -> None:
        """Opens the form of a button that needs a line of text."""
        action = body["actions"][0]
        where, thread = place_of_press(body)
        language = await self._listener.form_language(where, str(body["user"]["id"]))
        speak(language)
        memo = {
            "action": _name(action),
            "value": str(action.get("value") or ""),
            "channel": where.channel,
            "thread": thread,
            "language": language,
        }
        label = str((action.get("text") or {}).get("text") or "Debate")
        form = line_form(title(memo["action"], label), memo)
        await open_modal(self._listener.workspaces, body, form)

    async def _submit(self, body: Json, text: str) -> None:
        listener = self._listener
        memo = json.loads(body["view"]["private_metadata"])
        where = places.place(team_of(body), memo["channel"])
        user, thread = str(body["user"]["id"]), memo["thread"]
        source = f"{where.workspace}/view/{body['view']['id']}"
        caller = await listener.caller(where, user, source, thread=thread)
        await listener.speak_to(caller)
        answer = await listener.desk.press(memo["action"], memo["value"], caller, text)
        await listener.show(offer(answer, caller.source), Recipient(where, user, thread))


def _name(action: Json) -> str:
    """Returns the action in a button's id: ``debate.press.stop.0`` gives "stop"."""
    return str(action["action_id"]).split(".")[2]


def _reply_thread(body: Json) -> str:
    """Returns the thread for an answer: none for a root, whose answers are in the channel."""
    container, message = body.get("container") or {}, body.get("message") or {}
    thread = str(message.get("thread_ts") or container.get("thread_ts") or "")
    if thread == message.get("ts"):
        return ""
    return thread
