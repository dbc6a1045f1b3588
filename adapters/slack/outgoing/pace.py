"""Limits the calls per second, counted as they are sent, because one post of the outbox may be
several messages and emojis.
"""

from __future__ import annotations

import asyncio

from core.application.place import Place

_REMEMBERED = 2_000


class Pace:
    """Spaces this process's calls for one place ``seconds`` apart."""

    def __init__(self, seconds: float, saved: float = 0.0) -> None:
        """A burst may use up to ``saved`` seconds of earlier rest."""
        self._seconds = seconds
        self._saved = saved
        self._free: dict[Place, float] = {}

    async def wait(self, where: Place) -> None:
        """Waits for the next free moment and takes it."""
        if not self._seconds:
            return
        now = asyncio.get_running_loop().time()
        at = max(now - self._saved, self._free.get(where, 0.0))
        if len(self._free) >= _REMEMBERED:
            self._free = {place: free for place, free in self._free.items() if free > now}
        self._free[where] = at + self._seconds
        await asyncio.sleep(max(0.0, at - now))
