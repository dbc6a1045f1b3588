"""At most so many calls a second, counted where they leave: the outbox sees posts, of which one may
be several messages and emojis.
"""

from __future__ import annotations

import asyncio

from adapters.ports.place import Place

_REMEMBERED = 2_000


class Pace:
    """``seconds`` between two calls of this process for one place, whoever makes them."""

    def __init__(self, seconds: float, saved: float = 0.0) -> None:
        """``saved`` seconds of rest may be spent on a burst."""
        self._seconds = seconds
        self._saved = saved
        self._free: dict[Place, float] = {}

    async def wait(self, where: Place) -> None:
        """Waits until it is the turn of the next one, and takes that moment."""
        if not self._seconds:
            return
        now = asyncio.get_running_loop().time()
        at = max(now - self._saved, self._free.get(where, 0.0))
        if len(self._free) >= _REMEMBERED:
            self._free = {place: free for place, free in self._free.items() if free > now}
        self._free[where] = at + self._seconds
        await asyncio.sleep(max(0.0, at - now))
