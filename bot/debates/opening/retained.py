"""Holds openings that were priced until someone begins them, so that no text is read twice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.debates.opening.prepare import Prepared
from core.debate.events import DebateRequest
from core.debate.ports import Clock

_FOR = timedelta(minutes=15)
_MOST = 32
_LARGEST = 16_000_000
"""The most characters held in all. The latest opening is held whatever its size."""
_OF_A_LINE = 500
"""How many characters one line of a change counts as, since an object costs more than its text."""


@dataclass(frozen=True, slots=True)
class RetainedOpenings:
    """They live in this process, for a short time and in a small number. Private material is never
    held, so the place's permission is checked anew each time.
    """

    clock: Clock
    _kept: list[tuple[datetime, Prepared]] = field(default_factory=list)

    def keep(self, priced: Prepared) -> None:
        """Holds an opening in place of an older one for the same request."""
        self.take(priced.request)
        if not priced.opened.material.private:
            self._kept.append((self.clock.now(), priced))
            del self._kept[:-_MOST]
            while len(self._kept) > 1 and sum(_size(p) for _, p in self._kept) > _LARGEST:
                del self._kept[0]

    def find(self, request: DebateRequest) -> Prepared | None:
        """Returns the opening for exactly this request by the same person in the same place, or
        None.
        """
        oldest = self.clock.now() - _FOR
        self._kept[:] = [(at, priced) for at, priced in self._kept if at > oldest]
        request = replace(request, quoted=None)
        held = (priced for _, priced in self._kept)
        return next((p for p in held if replace(p.request, quoted=None) == request), None)

    def take(self, request: DebateRequest) -> Prepared | None:
        """Returns the opening as ``find`` does, and holds it no longer."""
        opening = self.find(request)
        self._kept[:] = [(at, p) for at, p in self._kept if p is not opening]
        return opening


def _size(priced: Prepared) -> int:
    """Estimates the memory of an opening, in characters."""
    material = priced.opened.material
    lines = sum(len(hunk.lines) for hunk in material.hunks)
    held = priced.read.held + lines * _OF_A_LINE
    return len(priced.request.text) + 2 * len(material.text) + held
