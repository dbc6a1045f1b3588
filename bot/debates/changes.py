"""Remembers, for each place, the last debate about each pull request, so that a person, a schedule
and a webhook do not debate the same commit twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from adapters.forges.links import ChangeLink, ForgeKind, parse_change
from core.application.place import PROGRAM, SHELL, platform_of
from core.debate.errors import BadInput
from core.debate.events import DebateRequest
from core.debate.material.since import UNCHANGED
from core.debate.state import Debate, replay
from storage.debates import Debates
from storage.forges.followed import ChangeKey, Followed, FollowedChanges
from storage.places import Places


@dataclass(frozen=True, slots=True)
class Changes:
    """``hosts`` are the forges whose links are read."""

    places: Places
    followed: FollowedChanges
    debates: Debates
    hosts: Mapping[str, ForgeKind]

    async def last(self, request: DebateRequest) -> tuple[Followed, Debate] | None:
        """Returns the last debate of the same kind about the requested pull request in this
        place.
        """
        if (link := await self._link(request)) is None:
            return None
        row = await self.followed.get(_key(request.place, link))
        if row is None or not row.debate:
            return None
        debate = replay(await self.debates.load(row.debate))
        if debate.request.template != request.template:
            return None
        return (row, debate)

    async def note(self, request: DebateRequest, id: str, head: str = "") -> None:
        """Records a debate as the last one about its pull request. It does not replace one that is
        still running, nor one of another kind.
        """
        link = await self._link(request)
        if link is None:
            return
        key = _key(request.place, link)
        row = await self.followed.get(key)
        if row is not None and row.debate not in ("", id):
            last = replay(await self.debates.load(row.debate))
            if not last.over or last.request.template != request.template:
                return
        await self.followed.adopt(key, link.url, id, head)

    async def _link(self, request: DebateRequest) -> ChangeLink | None:
        """Returns the requested pull request by the present name of its repository, as far as the
        place knows it.
        """
        if request.text or not request.place or platform_of(request.place) in (SHELL, PROGRAM):
            return None
        try:
            link = parse_change(request.target, self.hosts)
        except BadInput:
            return None
        now = await self.places.present_name(request.place, link.host, link.repo)
        return replace(link, repo=now)


def head_of(row: Followed, debate: Debate) -> str:
    """Returns the commit that the last debate read, or "" if it is not known yet."""
    if debate.opened is None:
        return row.head
    return debate.open.material.facts.get("head", row.head)


def was_held(debate: Debate) -> bool:
    """True if the commit was debated or needed no debate because nothing was new; otherwise it may
    be tried again.
    """
    return debate.status != "failed" or debate.failure.endswith(UNCHANGED)


def _key(place: str, link: ChangeLink) -> ChangeKey:
    return ChangeKey(place, link.host, link.repo, link.number)
