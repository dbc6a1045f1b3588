"""At most one message a second in a channel, counted where they leave: the outbox sees posts, of which one may be several messages."""

from __future__ import annotations

import asyncio

from adapters.slack.reading import Spot

_REMEMBERED = 2_000


class Pace:
    """``seconds`` between two messages of this process in one channel, whoever sends them."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._free: dict[Spot, float] = {}

    async def turn(self, where: Spot) -> None:
        """Waits until the channel may have its next message, and takes that moment."""
        if not self._seconds:
            return
        now = asyncio.get_running_loop().time()
        at = max(now, self._free.get(where, 0.0))
        if len(self._free) >= _REMEMBERED:
            self._free = {spot: free for spot, free in self._free.items() if free > now}
        self._free[where] = at + self._seconds
        await asyncio.sleep(at - now)
