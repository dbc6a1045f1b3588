"""The form that starts a debate: from a shortcut, from a message, from the Home tab.

It shows the price before anything is paid.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from dataclasses import replace
from typing import Any

from adapters.ports.asker import explain
from adapters.slack import places
from adapters.slack.incoming.attachments import chosen_message, files_text, thread_text
from adapters.slack.incoming.forms.modals import open_modal, update_modal
from adapters.slack.incoming.forms.views import (
    CHANNEL,
    OPTION_FIELDS,
    OPTIONS,
    TARGET,
    TEMPLATE,
    Memo,
    start_form,
    state,
)
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.payloads import Json, Recipient, material_files, team_of
from adapters.slack.incoming.whole import whole_text
from core.application.commands import Start
from core.application.commands.options import WrongOption, enter
from core.application.commands.stored import with_consent
from core.application.desk import Caller
from core.application.place import Place
from core.debate.errors import BadInput, DebateError
from core.languages import say, say_error, speak, speaking

log = logging.getLogger(__name__)

# characters of a message that the form shows for editing; longer ones are fetched when the debate
# starts
_PREFILLED = 2_900
_PRICING = 20.0  # seconds
# seconds after which the edition that came with the acknowledgement stands; an earlier one of ours
# would be overwritten
_IN_PLACE = 0.15


class _WrongField(BadInput):
    """The error of one field of the form, shown at that field."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Forms:
    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    async def new(self, body: Json) -> None:
        """Opens the form, for the global shortcut and the button on the Home tab."""
        await self._open(body, Memo())

    async def on_message(self, body: Json) -> None:
        """Opens the form for a message shortcut: the message, its file or its thread becomes the
        material.
        """
        message = body["message"]
        thread = str(message.get("thread_ts") or "")
        channel, ts = str(body["channel"]["id"]), str(message["ts"])
        text = whole_text(message)
        if thread == ts and message.get("reply_count"):
            memo, text = Memo(channel, ts, thread, "thread"), ""
        elif material_files(message) or len(text) > _PREFILLED:
            memo, text = Memo(channel, ts, thread, "message"), ""
        else:
            memo = Memo(channel, ts, thread)
        await self._open(body, memo, await self._listener.read(text, team_of(body)))

    async def template_chosen(self, body: Json) -> None:
        """Shows the chosen template's description, without the earlier price, which no longer
        holds.
        """
        view = body["view"]
        memo = replace(Memo.read(view), priced="")
        speak(memo.language)
        form = self._form(view, memo)
        workspaces = self._listener.workspaces
        await update_modal(workspaces, body, form, edition=str(view.get("hash") or ""))

    async def submitted(self, ack: Any, body: Json) -> None:
        """Shows the price of exactly this request at the first submission, and starts the debate at
        the second.
        """
        with speaking(Memo.read(body["view"]).language):
            await self._submitted(ack, body)

    async def _submitted(self, ack: Any, body: Json) -> None:
        view, memo = body["view"], Memo.read(body["view"])
        try:
            start = self.read_request(view)
        except _WrongField as wrong:
            await ack(response_action="errors", errors={wrong.field: str(wrong)})
            return
        if memo.priced == _digest(start):
            await ack()
            self._listener.go(body, self._start(body, start, memo))
            return
        form = self._form(view, memo, say("Reading the material and reckoning the price …"))
        await ack(response_action="update", view=form)
        self._listener.go(body, self._price(body, start, memo))

    def read_request(self, view: Json) -> Start:
        """Returns the request that the form makes. Raises a ``BadInput`` that knows its field."""
        memo, target = Memo.read(view), state(view, TARGET).strip()
        if not (target or memo.whole):
            raise _WrongField(TARGET, say("A link, a text or a question is needed here."))
        if not state(view, CHANNEL):
            raise _WrongField(CHANNEL, say("Choose a channel for the debate."))
        try:
            line = f"{state(view, TEMPLATE)} {state(view, OPTIONS)}"
            start = self._listener.parse(line, attached=True)
        except BadInput as error:
            raise _WrongField(OPTIONS, say_error(error)) from error
        if not isinstance(start, Start) or start.target:
            raise _WrongField(OPTIONS, say("Options begin with --, for example --quiet."))
        entered = {each.field: state(view, each.field) for each in OPTION_FIELDS}
        try:
            return enter(replace(start, target=target), entered)
        except WrongOption as error:
            raise _WrongField(error.option.field, say_error(error)) from error

    async def _open(self, body: Json, memo: Memo, target: str = "") -> None:
        where = places.place(team_of(body), memo.channel)
        language = await self._listener.form_language(where, str(body["user"]["id"]))
        speak(language)
        memo = replace(memo, language=language)
        form = start_form(self._listener.desk.templates(), memo, target=target)
        await open_modal(self._listener.workspaces, body, form)

    async def _price(self, body: Json, start: Start, memo: Memo) -> None:
        try:
            async with asyncio.timeout(_PRICING):
                caller = await self._caller(body, "price")
                whole = await self._with_material(body, start, memo)
                note = await self._listener.desk.price(whole, caller)
        except TimeoutError:
            note = say("The price could not be reckoned in time. Start anyway, or set a budget.")
        except DebateError as error:
            note = say_error(error)
        await asyncio.sleep(_IN_PLACE)
        memo = replace(memo, priced=_digest(start))
        note = note or say("The price is not known.")
        form = self._form(body["view"], memo, note, ready=True)
        await update_modal(self._listener.workspaces, body, form)

    async def _start(self, body: Json, start: Start, memo: Memo) -> None:
        listener = self._listener
        where, user = self._where(body), str(body["user"]["id"])
        caller = await self._caller(body, "start")
        try:
            await listener.require_member(where)
            whole = await self._with_material(body, start, memo)
            answer = await listener.desk.take(with_consent(whole), caller)
        except DebateError as error:
            answer = explain(error, log, "slack.form")
        await listener.show(answer, Recipient(where, user))

    async def _with_material(self, body: Json, start: Start, memo: Memo) -> Start:
        """Returns ``start`` with the text of the chosen message or thread. Raises ``BadInput``."""
        if not memo.whole:
            return start
        listener = self._listener
        where = places.place(team_of(body), memo.channel)
        if memo.whole == "thread":
            text = await thread_text(listener.workspaces, where, memo.thread)
            return replace(start, target="a thread", text=text)
        message = await chosen_message(listener.workspaces, where, memo.thread, memo.message)
        if files := material_files(message):
            read = await files_text(listener.workspaces, listener.settings, where.workspace, files)
            return start.on_file(*read)
        text = await listener.read(whole_text(message), where.workspace)
        return replace(start, target="a message", text=text)

    async def _caller(self, body: Json, step: str) -> Caller:
        where, user = self._where(body), str(body["user"]["id"])
        source = f"{where.workspace}/view/{body['view']['id']}/{step}"
        return await self._listener.caller(where, user, source)

    def _where(self, body: Json) -> Place:
        return places.place(team_of(body), state(body["view"], CHANNEL))

    def _form(self, view: Json, memo: Memo, note: str = "", *, ready: bool = False) -> Json:
        return start_form(
            self._listener.desk.templates(),
            memo,
            chosen=state(view, TEMPLATE),
            target=state(view, TARGET),
            note=note,
            ready=ready,
        )


def _digest(start: Start) -> str:
    return hashlib.sha256(repr(start).encode()).hexdigest()[:16]
