"""The form that starts a debate: from a shortcut, from a message, from the Home tab.

The price stands in it before anything is paid.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.commands import Start
from adapters.commands.options import WrongOption, enter
from adapters.ports.desk import Caller
from adapters.slack import places
from adapters.slack.incoming.attachments import file_text, thread_text
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.payloads import material_file, team_of, unwrap
from adapters.slack.incoming.views import (
    CHANNEL,
    OPTION_FIELDS,
    OPTIONS,
    TARGET,
    TEMPLATE,
    Memo,
    start_form,
    state,
)
from core.errors import BadInput, DebateError

Json = Mapping[str, Any]

# characters of a message that the form shows for editing; longer ones are fetched when the debate
# starts
_PREFILLED = 2_900
_PRICING = 20.0  # seconds
# seconds after which the edition that came with the acknowledgement stands; an earlier one of ours
# would be overwritten
_IN_PLACE = 0.15


class WrongField(BadInput):
    """One field of the form is wrong: said beside it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Forms:
    def __init__(self, front: Listener) -> None:
        self._front = front

    async def new(self, ack: Any, body: Json) -> None:
        """The global shortcut, or the button on the Home tab."""
        await ack()
        self._front.go(body, self._open(body, Memo()))

    async def on_message(self, ack: Any, body: Json) -> None:
        """The message shortcut: the message, its file or the thread that it opens is the
        material.
        """
        await ack()
        message = body["message"]
        thread = str(message.get("thread_ts") or "")
        channel, ts = str(body["channel"]["id"]), str(message["ts"])
        text = unwrap(str(message.get("text") or ""))
        if thread == ts and message.get("reply_count"):
            memo, text = Memo(channel, ts, thread, "thread"), ""
        elif material_file(message) or len(text) > _PREFILLED:
            memo, text = Memo(channel, ts, thread, "message"), ""
        else:
            memo = Memo(channel, ts, thread)
        self._front.go(body, self._open(body, memo, text))

    async def template_chosen(self, ack: Any, body: Json) -> None:
        """Shows the chosen template's description; the price shown before is no longer the
        price.
        """
        await ack()
        self._front.go(body, self._describe(body))

    async def _describe(self, body: Json) -> None:
        view = body["view"]
        memo = replace(Memo.read(view), priced="")
        form = start_form(
            self._front.desk.templates(),
            memo,
            chosen=state(view, TEMPLATE),
            target=state(view, TARGET),
        )
        await self._front.show_view(
            team_of(body), view["id"], form, edition=str(view.get("hash") or "")
        )

    async def submitted(self, ack: Any, body: Json) -> None:
        """First shows the price of exactly this wish, then, submitted again, starts it."""
        view, memo = body["view"], Memo.read(body["view"])
        try:
            ask = self.read_request(view)
        except WrongField as wrong:
            await ack(response_action="errors", errors={wrong.field: str(wrong)})
            return
        if memo.priced == digest(ask):
            await ack()
            self._front.go(body, self._start(body, ask, memo))
            return
        form = self._form(view, memo, "Reading the material and reckoning the price …")
        await ack(response_action="update", view=form)
        self._front.go(body, self._price(body, ask, memo))

    def read_request(self, view: Json) -> Start:
        """What the form asks for. Raises ``WrongField``."""
        memo, target = Memo.read(view), state(view, TARGET).strip()
        if not (target or memo.whole):
            raise WrongField(TARGET, "A link, a text or a question is needed here.")
        if not state(view, CHANNEL):
            raise WrongField(CHANNEL, "Choose where the debate is held.")
        try:
            ask = self._front.parse(
                f"{state(view, TEMPLATE)} {state(view, OPTIONS)}", attached=True
            )
        except BadInput as error:
            raise WrongField(OPTIONS, str(error)) from error
        if not isinstance(ask, Start) or ask.target:
            raise WrongField(OPTIONS, "Options begin with --, for example --quiet.")
        entered = {each.field: state(view, each.field) for each in OPTION_FIELDS}
        try:
            return enter(replace(ask, target=target), entered)
        except WrongOption as error:
            raise WrongField(error.option.field, str(error)) from error

    async def _open(self, body: Json, memo: Memo, target: str = "") -> None:
        await self._front.open_view(
            body, start_form(self._front.desk.templates(), memo, target=target)
        )

    async def _price(self, body: Json, ask: Start, memo: Memo) -> None:
        front, view = self._front, body["view"]
        try:
            async with asyncio.timeout(_PRICING):
                caller = await self._caller(body, "price")
                note = await front.desk.price(await self._material(body, ask, memo, caller), caller)
        except TimeoutError:
            note = "The price could not be reckoned in time. Start anyway, or set a budget."
        except DebateError as error:
            note = str(error)
        await asyncio.sleep(_IN_PLACE)
        form = self._form(
            view, replace(memo, priced=digest(ask)), note or "The price is not known.", ready=True
        )
        await front.show_view(team_of(body), view["id"], form)

    async def _start(self, body: Json, ask: Start, memo: Memo) -> None:
        front = self._front
        caller = await self._caller(body, "start")
        where = places.place(team_of(body), state(body["view"], CHANNEL))
        user = str(body["user"]["id"])
        try:
            await front.reachable(where)
            answer = await front.desk.take(await self._material(body, ask, memo, caller), caller)
        except DebateError as error:
            await front.complain(error, where, user)
        else:
            await front.show(answer, where, user)

    async def _material(self, body: Json, ask: Start, memo: Memo, caller: Caller) -> Start:
        """``ask`` with the text of the chosen message or thread."""
        if not memo.whole:
            return ask
        front, team = self._front, team_of(body)
        where = places.place(team, memo.channel)
        client = await front.workspaces.client(team)
        if memo.whole == "thread":
            return replace(
                ask,
                target="a thread",
                text=await thread_text(front.workspaces, client, where, memo.thread),
            )
        answer = await client.conversations_replies(
            channel=memo.channel,
            ts=memo.thread or memo.message,
            latest=memo.message,
            inclusive=True,
        )
        message = next(
            (m for m in answer.get("messages") or () if m.get("ts") == memo.message), None
        )
        if message is None:
            raise BadInput(
                "The message is gone, or I cannot see it. Invite me to its channel with /invite."
            )
        file = material_file(message)
        if file is not None:
            return replace(
                ask,
                target=str(file["name"]),
                text=await file_text(front.workspaces, front.settings, team, file),
            )
        return replace(ask, target="a message", text=unwrap(str(message.get("text") or "")))

    async def _caller(self, body: Json, step: str) -> Caller:
        where = places.place(team_of(body), state(body["view"], CHANNEL))
        source = f"{where.workspace}/view/{body['view']['id']}/{step}"
        return await self._front.caller(
            where, str(body["user"]["id"]), source, private=places.is_direct(where)
        )

    def _form(self, view: Json, memo: Memo, note: str, *, ready: bool = False) -> dict[str, Any]:
        return start_form(
            self._front.desk.templates(),
            memo,
            chosen=state(view, TEMPLATE),
            target=state(view, TARGET),
            note=note,
            ready=ready,
        )


def digest(ask: Start) -> str:
    return hashlib.sha256(repr(ask).encode()).hexdigest()[:16]
