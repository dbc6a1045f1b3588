"""Implements ``adapters.room.port.Records`` and ``Log`` over the store, behind the desk's
permissions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.models.choice import Choice
from adapters.ports.desk import Caller
from adapters.posts.export import export
from adapters.room.places import PLATFORM as ROOM
from adapters.room.port import Entry, Filter, Relative
from bot.debates.service import DebateService, parent_outcome
from bot.desk.lookup import Lookup
from bot.desk.permissions import Action, Permissions
from bot.platforms import is_direct, workspace_of
from core.debate import Debate
from core.errors import DebateError, Refused
from core.events import Event
from core.outcome import outcome
from storage.debates import DebateLine, Debates
from storage.outcomes import Outcomes

MOST_RELATIVES = 8


def is_listed(permissions: Permissions, line: DebateLine, caller: Caller) -> bool:
    """Whether a list may name a debate: what is private or was held between one person and the bot
    is named nowhere else.
    """
    if caller.shell or line.place == caller.place:
        return True
    if line.private:
        return False
    return line.asker == permissions.person(caller.person) or not is_direct(line.place)


@dataclass(frozen=True, slots=True)
class RoomLog:
    debates: Debates

    async def events(self, id: str, after: int = 0) -> Sequence[Event]:
        return await self.debates.load(id, after)

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        return await parent_outcome(self.debates, debate)


@dataclass(frozen=True, slots=True)
class RoomRecords:
    """``choice`` says which models speak where nobody was named; it may look for local servers."""

    lookup: Lookup
    service: DebateService
    debates: Debates
    outcomes: Outcomes
    permissions: Permissions
    choice: Callable[[], Choice]

    async def debate(self, id: str, caller: Caller) -> Debate:
        return await self.lookup.find(id, caller)

    async def linked(self, id: str) -> Debate:
        return await self.service.load(id)

    async def export(self, debate: Debate, form: str) -> str:
        return export(debate, form, await self.parent(debate))

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        return await self.service.parent_outcome(debate)

    async def relatives(self, debate: Debate, caller: Caller) -> Sequence[Relative]:
        ids = [debate.fork.parent] if debate.fork is not None else []
        forks = [line.id for line in await self.debates.find_forks(debate.id, limit=MOST_RELATIVES)]
        found = []
        for id in [*ids, *forks]:
            try:
                one = await self.debate(id, caller)
            except DebateError:
                continue  # not for this caller, or gone
            found.append(Relative(one, outcome(one), parent=id in ids))
        return found

    async def listed(self, wanted: Filter, caller: Caller, limit: int) -> Sequence[Entry]:
        found: list[DebateLine] = []
        before = wanted.before
        while len(found) < limit:
            lines = await self._page(wanted, caller, before, limit)
            found += [line for line in lines if is_listed(self.permissions, line, caller)]
            if len(lines) < limit:
                break
            before = lines[-1].id
        return [await self._entry(line) for line in found[:limit]]

    async def _page(
        self, wanted: Filter, caller: Caller, before: str, limit: int
    ) -> Sequence[DebateLine]:
        """Debates of the caller's workspace, wherever in it they are held, and their own."""
        workspace = workspace_of(caller.place)
        asker = self.permissions.person(caller.person)
        return await self.debates.find_page(
            within=None if caller.shell else [f"{workspace}/", f"{ROOM}:{workspace}/"],
            own=asker,
            status=wanted.status,
            template=wanted.template,
            asker=asker if wanted.mine else "",
            before=before,
            limit=limit,
        )

    async def models(self) -> str:
        return (await asyncio.to_thread(self.choice)).reason

    async def may_control(self, debate: Debate, caller: Caller) -> bool:
        try:
            await self.permissions.require(caller, Action.PAUSE, debate)
        except Refused:
            return False
        return True

    async def _entry(self, line: DebateLine) -> Entry:
        decided = await self.outcomes.get(line.id)
        return Entry(
            line.id,
            line.title,
            line.template,
            line.status,
            decided.decision if decided is not None else "",
            line.asker,
            line.created_at,
            line.cost,
        )
