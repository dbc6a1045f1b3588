"""Polls bound repositories every few minutes if no webhook reaches the bot, and turns the answers
into the same events.

A quiet repository costs one answer 304 on GitHub, and an empty list on GitLab.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from adapters.forges.api import ForgeApi
from adapters.forges.events import ForgeEvent
from adapters.forges.links import name_of
from adapters.forges.listing import (
    ListedChange,
    changes_listed,
    comments_listed,
    notes_since,
    requests_listed,
)
from bot.forges.context import ForgeContext
from bot.forges.inbox import event_work
from bot.forges.names import host_and_repo, other_repository
from core.debate.errors import DebateError
from core.debate.material import ChangeState
from storage.forges.watches import Watches
from storage.places import Binding, repository_id, repository_key

logger = logging.getLogger(__name__)
EVERY = timedelta(minutes=3)
_EVER = "2000-01-01T00:00:00+00:00"
_KEPT = 300
"""The most pull requests of a repository that are remembered after their end."""


HasWebhook = Callable[[str], Awaitable[bool]]
"""True if a host sends webhooks here; then it is not polled."""


@dataclass(frozen=True, slots=True)
class Poll:
    context: ForgeContext
    watches: Watches
    has_webhook: HasWebhook

    async def look(self, every: timedelta = EVERY) -> int:
        """Polls each bound repository that is due and returns how many events that gave."""
        hosts = self.context.connections.kinds
        bound: dict[tuple[str, str], Binding] = {}
        for binding in await self.context.places.bindings():
            bound.setdefault(host_and_repo(binding.repository, hosts), binding)
        polled = {host for host in hosts if await self._is_polled(host)}
        count = 0
        for (host, repo), binding in bound.items():
            if host in polled and await self.watches.take(host, repo, every):
                count += await self._ask(host, repo, binding.place)
        return count

    async def begin(self, repository: str, place: str) -> None:
        """Learns how a repository is before it is bound for the first time, so that everything
        after that is news. Raises ``DebateError`` if the forge doesn't show it; the first look that
        reads it learns it then.
        """
        host, repo = host_and_repo(repository, self.context.connections.kinds)
        if not await self._is_polled(host):
            return
        marks: dict[str, str] = {}
        await self.watches.keep(host, repo, marks, {})  # nobody else looks meanwhile
        changes, _comments = await self._read(host, repo, place, marks)
        states = {f"{one.number}": one.state_line for one in changes}
        await self.watches.keep(host, repo, marks, states)

    async def _is_polled(self, host: str) -> bool:
        """True if a host is polled: not hosts of plugins, nor hosts that send webhooks."""
        forge = self.context.connections.kinds[host]
        return isinstance(forge, str) and not await self.has_webhook(host)

    async def _read(
        self, host: str, repo: str, place: str, marks: dict[str, str]
    ) -> tuple[Sequence[ListedChange], Sequence[ForgeEvent]]:
        read = _read_gitlab
        if self.context.connections.kinds[host] == "github":
            read = _read_github
        async with self.context.connections.api(host, repo, place) as api:
            return await read(api, host, repo, marks)

    async def _ask(self, host: str, repo: str, place: str) -> int:
        tags, known = await self.watches.load(host, repo)
        marks, seen = dict(tags), dict(known)
        first = "looked" not in marks
        try:
            changes, comments = await self._read(host, repo, place, marks)
            if changes:
                repo = await self._present_name(host, repo, changes[0])
        except DebateError as error:
            facts = {"action": "poll", "repo": repo, "reason": str(error)}
            logger.warning("a repository can't be polled", extra=facts)
            return 0
        name = name_of(self.context.connections.kinds[host])
        events = () if first else (*_events(name, host, repo, changes, seen), *comments)
        work = [event_work(_key(event), event) for event in events]
        count = await self.context.work.add(*work, again=())
        states = {f"{one.number}": one.state_line for one in changes}
        older = {name: state for name, state in seen.items() if name not in states}
        await self.watches.keep(host, repo, marks, _remembered(older | states))
        return count

    async def _present_name(self, host: str, repo: str, change: ListedChange) -> str:
        """Returns the present name of a polled repository, after everything that is stored under
        the name that the request has got it. Raises ``BadInput`` if another repository has that
        name now.
        """
        name = change.repo or repo
        await self.context.see(host, name, change.repo_id, address=repo)
        key, id = repository_key(host, name), repository_id(host, change.repo_id)
        if not await self.context.places.bindings(repository=key, id=id):
            raise other_repository(name)
        return name


async def _read_github(
    api: ForgeApi, host: str, repo: str, marks: dict[str, str]
) -> tuple[Sequence[ListedChange], Sequence[ForgeEvent]]:
    """Returns the changes and comments since the last poll, using conditional requests; ``marks``
    holds the position in each list, and is advanced.
    """
    looked, events = marks.get("looked", ""), list[ForgeEvent]()
    after = datetime.fromisoformat(looked) if looked else None
    changes, marks["changes"] = await changes_listed(api, repo, marks.get("changes", ""), after)
    marks["looked"] = _latest(changes, looked)
    for kind in ("comments", "replies"):
        mark = marks.get(f"last {kind}")
        last = int(mark) if mark else None
        some, marks[kind] = await comments_listed(
            api, host, repo, marks.get(kind, ""), last, replies=kind == "replies"
        )
        fresh = [event for event in some if int(event.comment) > (last or 0)]
        marks[f"last {kind}"] = f"{max([last or 0, *(int(event.comment) for event in fresh)])}"
        events += fresh
    return changes, events


async def _read_gitlab(
    api: ForgeApi, host: str, repo: str, marks: dict[str, str]
) -> tuple[Sequence[ListedChange], Sequence[ForgeEvent]]:
    """Returns the changes and comments since the last poll, which GitLab filters by time itself."""
    looked = marks.get("looked", "")
    changes = await requests_listed(api, repo, looked)
    marks["looked"] = _latest(changes, looked)
    if not looked:
        return changes, ()
    since = datetime.fromisoformat(looked)
    events: list[ForgeEvent] = []
    for one in changes:
        if one.state == ChangeState.OPEN:
            events += await notes_since(api, host, repo, one.number, since)
    return changes, events


def _latest(changes: Sequence[ListedChange], looked: str) -> str:
    """Returns the time of the last change that is listed, or that of the last look."""
    times = [one.updated for one in changes if one.updated is not None]
    return max(times).isoformat() if times else looked or _EVER


def _remembered(states: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the states of all open pull requests, and of those that ended last."""
    is_open = {name: f"{state}".startswith(ChangeState.OPEN) for name, state in states.items()}
    ended = [name for name in states if not is_open[name]][-_KEPT:]
    return {name: state for name, state in states.items() if is_open[name] or name in ended}


def _events(
    forge: str, host: str, repo: str, changes: Sequence[ListedChange], seen: Mapping[str, Any]
) -> list[ForgeEvent]:
    events: list[ForgeEvent] = []
    for one in changes:
        before = str(seen.get(f"{one.number}", ""))
        if before == one.state_line:
            continue
        for happened, label in one.since(before):
            actor = one.author
            if label and before:
                actor = ""  # no list says who put a label on
            events.append(
                ForgeEvent(
                    happened,
                    forge,
                    host,
                    repo,
                    one.number,
                    one.head,
                    label=label,
                    draft=one.draft,
                    actor=actor,
                    at=one.updated,
                    merged=one.state == ChangeState.MERGED,
                    merge_commit=one.merge_commit,
                    author=one.author,
                )
            )
    return events


def _key(event: ForgeEvent) -> str:
    what = event.comment or f"{event.number}:{event.label}:{event.head}:{event.at}"
    return f"poll:{event.host}/{event.repo.lower()}:{event.happened.value}:{what}"
