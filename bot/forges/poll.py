"""Where no webhook reaches us, bound repositories on GitHub are asked every few minutes what is
new; what they answer becomes the same events. One where nothing happened answers 304.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec

from adapters.forges.events import ForgeEvent
from adapters.forges.listing import ListedChange, changes_listed, comments_listed
from bot.forges.connect import Connections
from bot.forges.names import host_and_repo
from core.errors import DebateError
from core.ports import Clock
from storage.forge_events import ForgeEvents
from storage.places import Binding, Places

logger = logging.getLogger(__name__)
EVERY = timedelta(minutes=3)
_KEPT = 300
"""Pull requests of a repository that are remembered."""


@dataclass(frozen=True, slots=True)
class Poll:
    """``webhooks`` says whether a forge tells us itself; then it is not asked."""

    events: ForgeEvents
    places: Places
    connections: Connections
    clock: Clock
    webhooks: frozenset[str] = frozenset()

    async def run(self, idle: float = 20.0) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.look()
            except Exception:  # a database that is away comes back
                logger.exception("repositories can't be polled", extra={"action": "poll"})
            await asyncio.sleep(idle)

    async def look(self, every: timedelta = EVERY) -> int:
        """Asks each bound repository whose turn it is; how many events came of it."""
        hosts = {name: host.forge for name, host in self.connections.library.hosts.items()}
        bound: dict[tuple[str, str], Binding] = {}
        for binding in await self.places.bindings():
            bound.setdefault(host_and_repo(binding.repository, hosts), binding)
        told = 0
        for (host, repo), binding in bound.items():
            if hosts.get(host) != "github" or "github" in self.webhooks:
                continue
            if await self.events.take_watch(host, repo, every):
                told += await self._ask(host, repo, binding.place)
        return told

    async def _ask(self, host: str, repo: str, place: str) -> int:
        watch = await self.events.watch(host, repo)
        tags, seen = dict(watch.tags), dict(watch.seen)
        try:
            async with self.connections.github(host, repo, place) as api:
                changes, tags["changes"] = await changes_listed(api, repo, tags.get("changes", ""))
                comments, tags["comments"] = await comments_listed(
                    api, repo, tags.get("comments", ""), str(seen.get("comment", ""))
                )
        except DebateError as error:
            facts = {"action": "poll", "repo": repo, "reason": str(error)}
            logger.warning("a repository can't be polled", extra=facts)
            return 0
        forge = self.connections.library.hosts[host].forge
        first = watch.tags == {}
        found = [] if first else _events(forge, host, repo, changes, seen)
        found += [] if first else [event for event in comments if event.number]
        told = 0
        for event in found:
            told += await self.events.add(_key(event), msgspec.to_builtins(event))
        states = {f"{one.number}": one.state_line for one in changes}
        older = [(name, state) for name, state in seen.items() if name not in states]
        kept = dict([*older, *states.items()][-_KEPT:])
        if comments:
            kept["comment"] = max(event.comment for event in comments)
        await self.events.keep_watch(host, repo, tags, kept)
        return told


def _events(
    forge: str, host: str, repo: str, changes: Sequence[ListedChange], seen: Mapping[str, Any]
) -> list[ForgeEvent]:
    """What happened between the last look and this one."""
    told: list[ForgeEvent] = []
    for one in changes:
        before = str(seen.get(f"{one.number}", ""))
        if before == one.state_line:
            continue
        told += [
            ForgeEvent(
                happened,
                forge,
                host,
                repo,
                one.number,
                one.head,
                label=label,
                draft=one.draft,
                actor=one.author,
                at=one.updated,
                merged=one.state == "merged",
                merge_commit=one.merge_commit,
            )
            for happened, label in one.since(before)
        ]
    return told


def _key(event: ForgeEvent) -> str:
    what = event.comment or f"{event.number}:{event.label}:{event.head}:{event.at}"
    return f"poll:{event.host}/{event.repo.lower()}:{event.happened.value}:{what}"
