"""Implements ``adapters.api.port.Stored``: tokens in the store, and debates behind the desk's
permissions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adapters.api.port import Bearer
from adapters.ports.desk import Caller
from adapters.room.port import Entry, Filter
from bot.room.holders import Holders
from bot.room.records import RoomLog, RoomRecords
from core.errors import BadInput
from core.events import Event
from storage.people.tokens import Tokens


@dataclass(frozen=True, slots=True)
class TokenAccess:
    tokens: Tokens
    records: RoomRecords
    log: RoomLog
    holders: Holders

    async def bearer(self, secret: str) -> Bearer | None:
        found = await self.tokens.find(secret)
        if found is None:
            return None
        return await self.holders.bearer(found)

    async def hold(self, token: str, key: str, asked: str, budget: float) -> str:
        return await self.tokens.hold(token, key, asked, budget)

    async def settle(self, token: str, key: str, debate: str) -> None:
        await self.tokens.settle(token, key, debate)

    async def listed(
        self, caller: Caller, before: str, limit: int
    ) -> tuple[Sequence[Mapping[str, Any]], str]:
        wanted = Filter(before=_cursor(before) if before else None)
        found = await self.records.listed(wanted, caller, limit + 1)
        page = found[:limit]
        more = ""
        if len(found) > limit:
            more = f"{page[-1].created_at.isoformat()}~{page[-1].id}"
        return [_line(one) for one in page], more

    async def debate(self, id: str, caller: Caller) -> str:
        return (await self.records.debate(id, caller)).id

    async def document(self, id: str, caller: Caller) -> str:
        return await self.records.export(await self.records.debate(id, caller), "json", caller)

    async def status(self, id: str) -> tuple[str, bool]:
        debate = await self.records.service.load(id)
        return debate.status, debate.final

    async def events(self, id: str, after: int) -> Sequence[Event]:
        return await self.log.events(id, after)


def _line(one: Entry) -> Mapping[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "template": one.template,
        "status": one.status,
        "decision": one.pill.words,
        "asker": one.asker,
        "created_at": one.created_at.isoformat(),
        "cost_usd": one.cost,
    }


def _cursor(text: str) -> tuple[datetime, str]:
    moment, _, id = text.partition("~")
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None or not id:
        raise BadInput("`before` is what `next` of the page before said.")
    return at, id
