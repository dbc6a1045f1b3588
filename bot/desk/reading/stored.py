"""Implements ``core.application.debates.Debates`` over the store, behind the desk's permissions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cachetools import LRUCache

from adapters.processes.threads import make_in_thread
from bot.debates.opening.holders import TOKEN
from bot.debates.service import parent_outcome
from bot.desk.lookup import find
from bot.desk.parts import DeskParts
from bot.desk.reading.read import document
from bot.desk.reading.readings import note_reading
from bot.desk.reading.search import find_hits
from bot.desk.schedule import listed_schedules
from core.application.commands.actions import Action
from core.application.debates import RelatedDebate
from core.application.desk import Caller
from core.application.listing import DebateLine, Filter, Hit
from core.application.schedules import ListedSchedule
from core.debate.commands.holders import turns_due
from core.debate.errors import DebateError
from core.debate.events import Event
from core.debate.script import Turn
from core.debate.state import Debate
from core.words.outcome import outcome
from core.words.views.documents.comparison import relation_words
from storage.audit import Act, Actor

_MOST_RELATED = 8
_KEPT = 32
"""Related debates whose outcome is cached: loading and counting each anew took a page with eight
forks ten times as long as one without.
"""
_RUNNING = 50
"""The most running debates in which a token's turns are looked for, the newest first."""
_LOOK = 0.5
"""Seconds between two looks for new events, which any process may store."""


@dataclass(frozen=True, slots=True)
class StoredDebates:
    """Reads debates; ``choice`` returns the models that speak if nobody named any, and may look for
    local servers.
    """

    desk: DeskParts
    choice: Callable[[], tuple[tuple[str, ...], str]]
    _kept: LRUCache[tuple[str, int], tuple[Debate, Mapping[str, Any]]] = field(
        default_factory=lambda: LRUCache(_KEPT)
    )

    async def find(self, id: str, caller: Caller) -> Debate:
        debate = await find(self.desk, id, caller)
        await note_reading(self.desk, caller, debate.id)
        return debate

    async def linked(self, id: str) -> Debate:
        if ("", "", id) not in self.desk.read:
            await self.desk.stores.audit.append(Actor("", "link"), Act("read", id))
            self.desk.read["", "", id] = True
        return await self.desk.service.load(id)

    async def state(self, id: str) -> Debate:
        return await self.desk.service.load(id)

    async def events(self, id: str, after: int = 0) -> Sequence[Event]:
        return await self.desk.stores.debates.load(id, after)

    async def follow(self, id: str, after: int, seconds: float) -> Sequence[Event]:
        now = asyncio.get_running_loop().time
        end, counted = now() + seconds, -1
        while True:
            if counted != (counted := await self.desk.stores.debates.count(id)):
                if counted > after:
                    return await self.desk.stores.debates.load(id, after)
                if (await self.desk.service.load(id)).final:
                    return ()
            if (left := end - now()) <= 0:
                return ()
            await asyncio.sleep(min(_LOOK, left))

    async def document(self, debate: Debate, form: str, caller: Caller) -> str:
        await note_reading(self.desk, caller, debate.id, form)
        return await document(self.desk, debate, form)

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        return await parent_outcome(self.desk.stores.debates, debate)

    async def related(self, debate: Debate, caller: Caller) -> Sequence[RelatedDebate]:
        parent, stored = debate.fork and debate.fork.parent, self.desk.stores.debates
        lines = await stored.find_like(parent, limit=1) if parent else []
        lines += await stored.find_forks(debate.id, limit=_MOST_RELATED)
        related = []
        for line in lines:
            one, outcome_of_it = await self._outcome_of(line)
            try:
                await self.desk.permissions.require(caller, Action.SEE, one)
            except DebateError:
                continue  # not for this caller
            what = relation_words(one, parent=line.id == parent)
            related.append(RelatedDebate(one.id, what, outcome_of_it))
        return related

    async def _outcome_of(self, line: DebateLine) -> tuple[Debate, Mapping[str, Any]]:
        """Returns a debate and its outcome as they are now, and caches them for the next reader."""
        key = (line.id, line.events)
        if key not in self._kept:
            debate = await self.desk.service.load(line.id)
            self._kept[key] = debate, await make_in_thread(outcome, debate)
        return self._kept[key]

    async def listed(self, wanted: Filter, caller: Caller, limit: int) -> Sequence[Hit]:
        return await find_hits(self.desk, wanted, caller, limit)

    async def schedules(
        self, caller: Caller, after: tuple[datetime | None, str] | None, limit: int
    ) -> Sequence[ListedSchedule]:
        return await listed_schedules(self.desk, caller, after, limit)

    async def turns(self, caller: Caller) -> Sequence[tuple[Debate, Turn]]:
        running = await self.listed(Filter(status="running"), caller, _RUNNING)
        debates = [await self.desk.service.load(one.line.id) for one in running]
        return [(d, t) for d in debates for t in turns_due(d, f"{TOKEN}{caller.token}")]

    async def models(self) -> str:
        _, reason = await asyncio.to_thread(self.choice)
        return reason

    async def require(self, caller: Caller, action: Action, debate: Debate) -> None:
        if action is Action.SHARE:
            await self.desk.permissions.copy(caller, action, debate)
        else:
            await self.desk.permissions.require(caller, action, debate)
