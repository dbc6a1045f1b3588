"""One budget of bytes for all that strangers' texts and archives take at once, in this process and
its readers: what does not fit waits, or goes without after a while, with a sentence that says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

MOST = 300_000_000
"""Bytes, all together."""
ARCHIVES, READERS, FORMS = 100_000_000, 160_000_000, 40_000_000
"""The shares of the budget, which sum to it: of archives, of debated material, and of texts that
people bring to be checked. A process that holds an archive waits for a reader, so that one share
for both could have them wait for each other.
"""
_PATIENCE = 60.0
"""Seconds that a caller waits for room."""


@dataclass(slots=True)
class MemoryShare:
    """Bytes of the budget that are set aside."""

    budget: ByteBudget
    size: int

    def shrink(self, size: int) -> None:
        """Gives back bytes that are not needed after all."""
        if size < self.size:
            self.budget.give_back(self.size - size)
            self.size = size


@dataclass(slots=True)
class ByteBudget:
    """Sets aside ``most`` bytes in all, first come first served; ``patience`` None waits for
    ever.
    """

    most: int = ARCHIVES
    patience: float | None = _PATIENCE
    held: int = 0
    _turns: asyncio.Lock = field(default_factory=asyncio.Lock)
    _freed: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def hold(self, size: int) -> AsyncIterator[MemoryShare | None]:
        """Sets bytes aside; None if there was no room for them in time."""
        held = await self._held(min(size, self.most))
        try:
            yield held
        finally:
            if held is not None:
                self.give_back(held.size)

    def give_back(self, size: int) -> None:
        self.held -= size
        self._freed.set()

    async def _held(self, size: int) -> MemoryShare | None:
        try:
            async with asyncio.timeout(self.patience), self._turns:
                while self.held + size > self.most:
                    self._freed.clear()
                    await self._freed.wait()
                self.held += size
        except TimeoutError:
            return None
        return MemoryShare(self, size)
