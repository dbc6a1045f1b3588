"""Follows a debate by asking for news, which any process may store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from core.debate.events import Event

_LOOK = 0.5
"""Seconds between two looks."""


class EventReader(Protocol):
    """Reads a debate's events. The caller's right to see them has been checked before."""

    async def count(self, id: str) -> int:
        """Returns the number of the debate's events, which a waiting caller asks for repeatedly."""
        ...

    async def events(self, id: str, after: int = 0) -> Sequence[Event]:
        """Returns the events from that position on."""
        ...


async def follow(
    reader: EventReader, id: str, seconds: float, look: Callable[[], Awaitable[bool]]
) -> None:
    """Calls ``look`` now and whenever there are new events, until it returns True or the
    ``seconds`` are over.
    """
    end, counted = asyncio.get_running_loop().time() + seconds, -1
    while True:
        if counted != (counted := await reader.count(id)) and await look():
            return
        left = end - asyncio.get_running_loop().time()
        if left <= 0:
            return
        await asyncio.sleep(min(_LOOK, left))
