"""Debates for the holder of a token of this server: started within the token's budget, played by
the bot. A person for whom Slack signs reads and acts without a token.

A token is looked up among those that this server made: one made for another server opens nothing
here, and no token is passed on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from adapters.mcp.session import Begun, CallerDebates, Holder, Host, Offer
from adapters.slack.incoming.shapes import is_signed, tool_caller
from bot.debates.opening.prepare import Prepared
from bot.desk.dispatch import Dispatch
from bot.desk.start import read_opening
from bot.mcp.reading import (
    MaterialReadings,
    find_earlier,
    head_of,
    new_event,
    offer_of,
    start_of,
)
from bot.room.holders import Holders, place_of
from core.application.commands import Challenge, Control, Start
from core.application.debates import Debates
from core.application.desk import Caller, DeskAnswer
from core.application.tokens import SCOPES, Tokens
from core.debate.errors import BadInput, Refused
from core.debate.state import Debate

_IN_SLACK = "A debate is started where people follow it: in a channel of Slack, with /debate"


@dataclass(frozen=True, slots=True)
class RemoteAccess:
    """Implements ``adapters.mcp.session.Access``."""

    tokens: Tokens
    holders: Holders
    debates: Debates
    desk: Dispatch
    reads: MaterialReadings = field(default_factory=MaterialReadings)
    _starts: set[asyncio.Task[tuple[str, bool]]] = field(default_factory=set)

    async def finish(self, start: Coroutine[Any, Any, tuple[str, bool]]) -> tuple[str, bool]:
        """Brings a start to its end, also if its call ends before, and returns its result."""
        task = asyncio.create_task(start, name="start")
        self._starts.add(task)
        task.add_done_callback(self._starts.discard)
        return await asyncio.shield(task)

    async def holder(self, secret: str) -> Holder | None:
        bearer = await self.tokens.bearer(secret)
        if bearer is None:
            return None
        caller = bearer.caller("mcp")
        host = TokenHost(self.desk, caller, access=self, token=bearer.token.id)
        return Holder(bearer.token.id, bearer.token.scopes, self._debates(host, caller))

    async def signer(self, body: bytes, headers: Mapping[str, str]) -> Holder | None:
        """Returns the member of a workspace for whom Slack's signature speaks. A signed request
        that names nobody may only read which tools there are.
        """
        if not is_signed(self.desk.settings.slack_signing_secret, body, headers):
            return None
        person = tool_caller(body)
        if not person:
            return Holder("slack", (), None)
        member = await self.holders.member(person)
        if member is None:
            return None
        place = place_of(person)
        caller = Caller(person, place, f"mcp:{person}", member.name, admin=member.admin)
        caller = replace(caller, confirms_price=True)
        return Holder(person, SCOPES, self._debates(DeskHost(self.desk, caller), caller))

    def _debates(self, host: Host, caller: Caller) -> CallerDebates:
        return CallerDebates(self.debates, host, caller, self.desk.settings.public_url)


@dataclass(frozen=True, slots=True)
class DeskHost:
    """Passes the requests of a person in Slack to the same desk as their commands. A debate is
    started in a channel, which no call of a tool names.
    """

    desk: Dispatch
    caller: Caller

    async def offer(self, wanted: Start, *, again: bool) -> Offer:
        raise Refused(_IN_SLACK)

    async def start(self, wanted: Start) -> Begun:
        raise Refused(_IN_SLACK)

    async def take(self, request: Challenge | Control) -> DeskAnswer:
        return await self.desk.take(request, new_event(self.caller))

    async def play_on(self, debate: Debate) -> None:
        """Leaves it to the bot, which plays all debates of its store."""

    def require_playing(self, id: str) -> None:
        """Leaves it to the bot."""


@dataclass(frozen=True, slots=True)
class TokenHost(DeskHost):
    """Starts debates within the budget of a token."""

    _: KW_ONLY
    access: RemoteAccess
    token: str

    async def offer(self, wanted: Start, *, again: bool) -> Offer:
        prepared = await self._read(wanted, fresh=not again)
        return await offer_of(self.desk, self.caller, prepared)

    async def start(self, wanted: Start) -> Begun:
        prepared = await self._read(wanted, fresh=False)
        head = head_of(prepared)
        earlier, key = await find_earlier(self.desk, self.caller, head)
        if earlier:
            line = await self.desk.stores.debates.find(earlier)
            return Begun(earlier, line.status, prepared.cost.likely, before=True)
        debate, before = await self.access.finish(self._start(wanted, key, head))
        status = "running" if before else "queued"
        return Begun(debate, status, prepared.cost.likely, before=before)

    async def _start(self, wanted: Start, key: str, head: str) -> tuple[str, bool]:
        """Starts a debate within the token's budget, and returns it and True if it was started
        before. A call that ends in between would give its money back.
        """
        tokens = self.access.tokens
        known = await tokens.hold(self.token, f"mcp:{key}", head, wanted.budget or 0.0)
        if known:
            return known, True
        started = ""
        try:
            start = replace(start_of(wanted), yes=True)
            answer = await self.desk.take(start, new_event(self.caller, key))
            started = answer.debate if answer.ok else ""
        finally:
            await tokens.settle(self.token, f"mcp:{key}", started)
        if not started:
            raise BadInput(answer.text)
        return started, False

    async def _read(self, wanted: Start, *, fresh: bool) -> Prepared:
        if not wanted.budget:
            raise BadInput("Set `budget_usd`: the most that it may cost.")
        start, caller = start_of(wanted), new_event(self.caller)
        desk, key = self.desk, f"{self.token}:{start!r}"
        return await self.access.reads.read(
            key, lambda: read_opening(desk, start, caller, fresh=fresh)
        )
