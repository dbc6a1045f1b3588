"""The loop of every worker that works through rows of the store until the process ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

logger = logging.getLogger(__name__)
IDLE = 5.0
"""Seconds after which a worker looks though nothing woke it."""


async def keep(
    name: str,
    work: Callable[[], Awaitable[object]],
    idle: float | Callable[[], float],
    wake: asyncio.Event,
) -> None:
    """Does ``work`` whenever ``wake`` is set, and after ``idle`` seconds at the latest, until it is
    cancelled. ``name`` is the action in the log.
    """
    while True:
        wake.clear()
        try:
            await work()
        except Exception:  # a database that is away comes back; what is due waits in it
            logger.exception("what is due can't be worked off", extra={"action": name})
        with suppress(TimeoutError):
            async with asyncio.timeout(idle() if callable(idle) else idle):
                await wake.wait()
