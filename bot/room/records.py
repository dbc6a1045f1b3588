"""Implements ``adapters.room.port.Records`` and ``Log`` over the store, behind the desk's
permissions.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from cachetools import LRUCache

from adapters.models.catalogue.choice import DefaultModels
from adapters.processes.threads import beside
from adapters.room.port import Filter, ListedDebate, Relative
from bot.debates.service import DebateService, parent_outcome
from bot.desk.reading.read import ReadDesk
from bot.desk.reading.search import SearchDesk
from bot.permissions import Permissions
from core.application.commands.actions import Action
from core.application.desk import Caller
from core.debate.errors import DebateError, Refused
from core.debate.events import Event
from core.debate.state import Debate
from core.debate.template import Template
from core.words.outcome import outcome
from core.words.views.documents.pill import pill
from core.words.views.language.times import ago
from storage.debates import DebateLine, Debates
from storage.search import SearchFilter, SearchHit
from storage.word_index import BEGINS, ENDS

_MOST_RELATIVES = 8
_KEPT = 32
"""Related debates whose outcome is cached: loading and counting each anew took a page with eight
forks ten times as long as one without.
"""
_NUMBER = re.compile(r"/(?:pull|merge_requests)/(\d+)")


@dataclass(frozen=True, slots=True)
class RoomLog:
    debates: Debates

    async def events(self, id: str, after: int = 0) -> Sequence[Event]:
        return await self.debates.load(id, after)

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        return await parent_outcome(self.debates, debate)


@dataclass(frozen=True, slots=True)
class RoomRecords:
    """Reads debates for the room; ``choice`` returns the models that speak if nobody named any, and
    may look for local servers.
    """

    reads: ReadDesk
    service: DebateService
    debates: Debates
    search: SearchDesk
    permissions: Permissions
    choice: Callable[[], DefaultModels]
    templates: Callable[[], Mapping[str, Template]]
    _kept: LRUCache[tuple[str, int], tuple[Debate, Mapping[str, Any]]] = field(
        default_factory=lambda: LRUCache(_KEPT)
    )

    async def debate(self, id: str, caller: Caller) -> Debate:
        debate = await self.reads.lookup.find(id, caller)
        await self.reads.readings.note(caller, debate.id)
        return debate

    async def linked(self, id: str) -> Debate:
        await self.reads.readings.note_linked(id)
        return await self.service.load(id)

    async def export(self, debate: Debate, form: str, caller: Caller) -> str:
        await self.reads.readings.note(caller, debate.id, form)
        return await self.reads.document(debate, form)

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        return await self.service.parent_outcome(debate)

    async def relatives(self, debate: Debate, caller: Caller) -> Sequence[Relative]:
        parent = debate.fork.parent if debate.fork is not None else ""
        lines = await self.debates.find_like(parent, limit=1) if parent else []
        lines = [*lines, *await self.debates.find_forks(debate.id, limit=_MOST_RELATIVES)]
        relatives = []
        for line in lines:
            one, document = await self._outcome_of(line)
            try:
                await self.permissions.require(caller, Action.SEE, one)
            except DebateError:
                continue  # not for this caller
            relatives.append(Relative(one, document, parent=line.id == parent))
        return relatives

    async def _outcome_of(self, line: DebateLine) -> tuple[Debate, Mapping[str, Any]]:
        """Returns a debate and its outcome as they are now, and caches them for the next reader."""
        key = (line.id, line.events)
        if key not in self._kept:
            debate = await self.service.load(line.id)
            self._kept[key] = debate, await beside(outcome, debate)
        return self._kept[key]

    async def listed(self, wanted: Filter, caller: Caller, limit: int) -> Sequence[ListedDebate]:
        hits = await self.search.find(self._wanted(wanted, caller), caller, limit)
        templates, now = self.templates(), self.search.clock.now()
        return [_entry(one, templates.get(one.line.template), now) for one in hits]

    def _wanted(self, wanted: Filter, caller: Caller) -> SearchFilter:
        asker = self.permissions.person(caller.person)
        return SearchFilter(
            words=wanted.words,
            status=wanted.status,
            template=wanted.template,
            asker=asker if wanted.mine else "",
            person=wanted.person,
            repository=wanted.repository,
            decision=wanted.decision,
            since=_midnight(wanted.since),
            until=_midnight(wanted.until, days=1),
            labels=_labels(wanted),
            before=wanted.before,
            decided=self._blocking() if wanted.blocked else None,
        )

    def _blocking(self) -> Sequence[tuple[str, str]]:
        """Returns each template's options that keep a change from going in."""
        known = self.templates().items()
        return [(id, o.option) for id, one in known for o in one.ballot if o.blocks]

    async def models(self) -> str:
        return (await asyncio.to_thread(self.choice)).reason

    async def require_share(self, debate: Debate, caller: Caller) -> None:
        await self.permissions.copy(caller, Action.SHARE, debate)

    async def may_control(self, debate: Debate, caller: Caller) -> bool:
        try:
            await self.permissions.require(caller, Action.PAUSE, debate)
        except Refused:
            return False
        return True


def _midnight(day: date | None, *, days: int = 0) -> datetime | None:
    """Returns the beginning of a day (UTC), or of one ``days`` later; None beyond the last day of
    the calendar.
    """
    if day is None or date.max - day < timedelta(days=days):
        return None
    return datetime.combine(day, time(), UTC) + timedelta(days=days)


def _entry(hit: SearchHit, template: Template | None, now: datetime) -> ListedDebate:
    line = hit.line
    number = _NUMBER.search(hit.source)
    change = hit.repository
    if number and change:
        change += f"{'!' if '/-/' in hit.source else '#'}{number[1]}"
    mark = pill(
        *(line.status, hit.decision, hit.mechanism),
        reached=hit.reached,
        template=template,
    )
    return ListedDebate(
        line.id,
        line.title,
        line.template,
        line.status,
        mark,
        line.asker,
        line.created_at,
        line.cost,
        tuple(_pieces(hit.excerpt)),
        hit.repository,
        change,
        ago(line.created_at, now),
    )


def _pieces(excerpt: str) -> Iterator[tuple[str, bool]]:
    """Splits an excerpt into pieces, each with whether it matches the search."""
    for part in excerpt.split(BEGINS):
        match, ends, rest = part.partition(ENDS)
        if ends:
            yield match, True
        text = rest if ends else match
        if text:
            yield text, False


def _labels(wanted: Filter) -> Mapping[str, str]:
    given = {
        "department": wanted.department,
        "priority": wanted.priority,
        "target-date": wanted.due_by.isoformat() if wanted.due_by is not None else "",
    }
    return {name: value for name, value in given.items() if value}
