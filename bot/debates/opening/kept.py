"""Openings that were prepared to tell their price, kept for whoever begins them, so that nothing is
read twice.

They live in this process, for a while and not many of them. Where one is missing, reading again is
right: after a restart, in another replica, a quarter of an hour later. Private material is never
kept, so that it is always asked anew whether the place may see it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.debates.opening.prepare import Prepared
from core.events import DebateRequest
from core.ports import Clock

_FOR = timedelta(minutes=15)
_MOST = 32
_LARGEST = 16_000_000
"""Characters of all that are kept. The latest is kept in any case."""
_OF_A_LINE = 500
"""Characters that a line of a change counts for: an object costs more than its text."""


@dataclass(frozen=True, slots=True)
class KeptOpenings:
    clock: Clock
    _kept: list[tuple[datetime, Prepared]] = field(default_factory=list)

    def keep(self, prepared: Prepared) -> None:
        """In place of an older one for the same request."""
        self.take(prepared.request)
        if not prepared.opened.material.private:
            self._kept.append((self.clock.now(), prepared))
            del self._kept[:-_MOST]
            while len(self._kept) > 1 and sum(_size(p) for _, p in self._kept) > _LARGEST:
                del self._kept[0]

    def find(self, request: DebateRequest) -> Prepared | None:
        """What was prepared for exactly this request, by the same person in the same place."""
        oldest = self.clock.now() - _FOR
        self._kept[:] = [(at, prepared) for at, prepared in self._kept if at > oldest]
        return next((p for _, p in self._kept if p.request == request), None)

    def take(self, request: DebateRequest) -> Prepared | None:
        """As ``find``; it is not kept any longer."""
        found = self.find(request)
        self._kept[:] = [(at, p) for at, p in self._kept if p is not found]
        return found


def _size(prepared: Prepared) -> int:
    """About so many characters of memory."""
    material = prepared.opened.material
    lines = sum(len(hunk.lines) for hunk in material.hunks)
    return len(prepared.request.text) + 2 * len(material.text) + lines * _OF_A_LINE
