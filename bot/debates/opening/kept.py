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
