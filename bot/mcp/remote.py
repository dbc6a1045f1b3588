"""Debates for the holder of a token of this server: started within the token's budget, played by
the bot. A person for whom Slack signs reads and acts without a token.

A token is looked up among those that this server made: one made for another server opens nothing
here, and no token is passed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace

from adapters.api.port import Bearer
from adapters.mcp.port import Begun, DebateStart, Holder, Offer, VisibleDebates
from adapters.slack.incoming.shapes import is_signed, tool_caller
from bot.debates.opening.consent import ConsentRule
from bot.debates.opening.prepare import Prepared
from bot.debates.service import DebateService
from bot.desk.dispatch import Dispatch
from bot.mcp.reading import CallerDebates, MaterialReadings, head_of, offer_of, start_of
from bot.room.holders import place_of
from bot.room.tokens import TokenAccess
from core.application.desk import Caller
from core.debate.errors import BadInput, Refused
from core.debate.ports import Clock

_IN_SLACK = "A debate is started where people follow it: in a channel of Slack, with /debate"


@dataclass(frozen=True, slots=True)
class RemoteAccess:
    """Implements ``adapters.mcp.port.Access``."""

    tokens: TokenAccess
    desk: Dispatch
    service: DebateService
    consent: ConsentRule
    clock: Clock
    public_url: str
    slack_secret: str = ""
    reads: MaterialReadings = field(default_factory=MaterialReadings)

    async def holder(self, secret: str) -> Holder | None:
        bearer = await self.tokens.bearer(secret)
        return None if bearer is None else TokenHolder(self, bearer)

    async def signer(self, body: bytes, headers: Mapping[str, str]) -> Holder | None:
        """Returns the member of a workspace for whom Slack's signature speaks. A signed request
        that names nobody may only read which tools there are.
        """
        if not is_signed(self.slack_secret, body, headers):
            return None
        person = tool_caller(body)
        if not person:
            return SignedHolder(self, None)
        member = await self.tokens.holders.member(person)
        if member is None:
            return None
        place = place_of(person)
        caller = Caller(person, place, f"mcp:{person}", member.name, admin=member.admin)
        return SignedHolder(self, replace(caller, confirms_price=True))


@dataclass(frozen=True, slots=True)
class TokenHolder:
    access: RemoteAccess
    bearer: Bearer

    @property
    def id(self) -> str:
        return self.bearer.id

    def debates(self, scope: str) -> VisibleDebates:
        if scope not in self.bearer.scopes:
            raise Refused(f"This token may not {scope}: make one with that scope.")
        access, caller = self.access, self.bearer.caller("mcp")
        return RemoteDebates(
            access.desk,
            access.service,
            access.clock,
            caller,
            access.public_url,
            access=access,
            bearer=self.bearer,
        )


@dataclass(frozen=True, slots=True)
class SignedHolder:
    """A person for whom Slack calls the tools: they read and act as in Slack. A debate is started
    in a channel, which no call of a tool names.
    """

    access: RemoteAccess
    caller: Caller | None

    @property
    def id(self) -> str:
        return self.caller.person if self.caller else "slack"

    def debates(self, scope: str) -> VisibleDebates:
        if self.caller is None:
            raise Refused("Slack did not say for whom it asks.")
        access = self.access
        return SignedDebates(
            *(access.desk, access.service, access.clock, self.caller, access.public_url)
        )


@dataclass(frozen=True, slots=True)
class SignedDebates(CallerDebates):
    """Passes the requests of a person in Slack to the same desk as their commands."""

    async def offer(self, wanted: DebateStart, *, again: bool) -> Offer:
        raise Refused(_IN_SLACK)

    async def start(self, wanted: DebateStart, *, agreed: bool) -> Begun:
        raise Refused(_IN_SLACK)


@dataclass(frozen=True, slots=True)
class RemoteDebates(CallerDebates):
    """Passes the requests of a token's holder to the same desk as everybody's."""

    _: KW_ONLY
    access: RemoteAccess
    bearer: Bearer

    async def offer(self, wanted: DebateStart, *, again: bool) -> Offer:
        prepared = await self._read(wanted, fresh=not again)
        earlier, _ = await self.earlier(head_of(prepared))
        return offer_of(prepared, self.access.consent, earlier)

    async def start(self, wanted: DebateStart, *, agreed: bool) -> Begun:
        prepared = await self._read(wanted, fresh=False)
        head = head_of(prepared)
        earlier, key = await self.earlier(head)
        if earlier:
            line = await self.line(earlier)
            return Begun(earlier, line.status, prepared.cost.likely, before=True)
        tokens, id = self.access.tokens, self.bearer.id
        known = await tokens.hold(id, f"mcp:{key}", head, wanted.budget or 0.0)
        if known:
            return Begun(known, "running", prepared.cost.likely, before=True)
        started = ""
        try:
            start = replace(start_of(wanted), yes=agreed)
            answer = await self.desk.take(start, self.fresh(key))
            started = answer.debate if answer.ok else ""
        finally:
            await tokens.settle(id, f"mcp:{key}", started)
        if not started:
            raise BadInput(answer.text)
        return Begun(started, "queued", prepared.cost.likely)

    async def _read(self, wanted: DebateStart, *, fresh: bool) -> Prepared:
        if not wanted.budget:
            raise BadInput("Say what it may cost at most: `budget_usd`.")
        start, caller = start_of(wanted), self.fresh()
        starts, key = self.desk.starts, f"{self.bearer.id}:{start!r}"
        return await self.access.reads.read(key, lambda: starts.read(start, caller, fresh=fresh))
