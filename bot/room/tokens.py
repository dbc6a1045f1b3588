"""Implements ``adapters.api.port.StoredDebates``: tokens in the store, and debates behind the
desk's permissions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from adapters.api.port import Bearer
from adapters.room.port import Filter, ListedDebate
from bot.debates.opening.holders import TOKEN
from bot.desk.schedule import ScheduleDesk, row_of
from bot.room.holders import Holders
from bot.room.records import RoomRecords
from core.application.desk import Caller
from core.debate.commands.holders import turns_due
from core.debate.errors import BadInput
from core.debate.events import Event
from core.debate.prompting import prompt
from core.debate.script import Turn
from core.debate.speaking import reply_schema
from core.debate.state import Debate
from storage.people.tokens import Tokens

_RUNNING = 50
"""The most running debates in which a token's turns are looked for, the newest first."""
_NEVER = "never"
"""The word in a paused schedule's cursor in place of its next time."""


@dataclass(frozen=True, slots=True)
class TokenAccess:
    tokens: Tokens
    records: RoomRecords
    recurring: ScheduleDesk
    holders: Holders

    async def bearer(self, secret: str) -> Bearer | None:
        token = await self.tokens.find(secret)
        if token is None:
            return None
        return await self.holders.bearer(token)

    async def hold(self, token: str, key: str, text: str, budget: float) -> str:
        return await self.tokens.hold(token, key, text, budget)

    async def settle(self, token: str, key: str, debate: str) -> None:
        await self.tokens.settle(token, key, debate)

    async def listed(
        self, caller: Caller, query: Mapping[str, str], limit: int
    ) -> tuple[Sequence[Mapping[str, Any]], str]:
        wanted = _filter(query)
        hits = await self.records.listed(wanted, caller, limit + 1)
        page = hits[:limit]
        more = ""
        if len(hits) > limit:
            more = f"{page[-1].created_at.isoformat()}~{page[-1].id}"
        return [_line(one) for one in page], more

    async def schedules(
        self, caller: Caller, after: str, limit: int
    ) -> tuple[Sequence[Mapping[str, Any]], str]:
        rows = await self.recurring.page(caller, _moment(after), limit + 1)
        page, more = rows[:limit], ""
        if len(rows) > limit:
            at = page[-1].next_at
            more = f"{at.isoformat() if at else _NEVER}~{page[-1].id}"
        return [row_of(one) for one in page], more

    async def debate(self, id: str, caller: Caller) -> str:
        return (await self.records.debate(id, caller)).id

    async def document(self, id: str, caller: Caller) -> str:
        return await self.records.export(await self.records.debate(id, caller), "json", caller)

    async def turns(self, caller: Caller) -> Sequence[Mapping[str, Any]]:
        running = await self.records.listed(_filter({"status": "running"}), caller, _RUNNING)
        debates = [await self.records.service.load(line.id) for line in running]
        due = [(d, t) for d in debates for t in turns_due(d, f"{TOKEN}{caller.token}")]
        return [await asyncio.to_thread(_turn, debate, turn) for debate, turn in due]

    async def status(self, id: str) -> tuple[str, bool]:
        debate = await self.records.service.load(id)
        return debate.status, debate.final

    async def count(self, id: str) -> int:
        return await self.records.debates.count(id)

    async def events(self, id: str, after: int = 0) -> Sequence[Event]:
        return await self.records.debates.load(id, after)


def _turn(debate: Debate, turn: Turn) -> Mapping[str, Any]:
    return {
        "debate": debate.id,
        "turn": turn.id,
        "seat": turn.seat,
        "role": debate.script.seat(turn.seat).role,
        "task": turn.task,
        "until": debate.until[turn.id].isoformat(),
        "messages": [{"role": m.role, "text": m.text} for m in prompt(debate, turn)],
        "schema": reply_schema(debate, turn),
    }


def _line(one: ListedDebate) -> Mapping[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "template": one.template,
        "status": one.status,
        "decision": one.pill.words,
        "asker": one.asker,
        "repository": one.repository,
        "excerpt": "".join(text for text, _ in one.excerpt),
        "created_at": one.created_at.isoformat(),
        "cost_usd": one.cost,
    }


def _filter(query: Mapping[str, str]) -> Filter:
    """Reads the filter of a list. Raises ``BadInput``."""
    before = query.get("before", "")
    mine = query.get("mine", "")
    if mine not in ("", "yes"):
        raise BadInput("`mine` is yes, or not there.")
    return Filter(
        words=query.get("q", "").strip(),
        status=query.get("status", ""),
        template=query.get("template", ""),
        mine=mine == "yes",
        person=query.get("person", "").strip(),
        repository=query.get("repository", "").strip(),
        decision=query.get("decision", ""),
        since=_day(query, "since"),
        until=_day(query, "until"),
        before=_cursor(before, "before") if before else None,
    )


def _day(query: Mapping[str, str], name: str) -> date | None:
    """Reads a day. Raises ``BadInput``."""
    text = query.get(name, "")
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"`{name}` is a day, like 2027-01-31.") from None


def _moment(after: str) -> tuple[datetime | None, str] | None:
    """Returns the next time and the id behind which a page of schedules begins, None for the first
    page. Raises ``BadInput``.
    """
    if not after:
        return None
    if after.startswith(f"{_NEVER}~"):
        return None, after.partition("~")[2]
    return _cursor(after, "after")


def _cursor(text: str, name: str) -> tuple[datetime, str]:
    """Reads a cursor. Raises ``BadInput``."""
    moment, _, id = text.partition("~")
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None or not id:
        raise BadInput(f"`{name}` is what `next` of the page before said.")
    return at, id
