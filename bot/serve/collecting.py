"""Schedules Python's garbage collector so that it never holds up the event loop for long.

A full collection looks at every living object, which takes tens of milliseconds in a busy bot.
Objects that have survived one are therefore frozen, and the next looks only at newer ones. A frozen
object is still freed as soon as nothing refers to it; only a cycle of them stays until ``sweep``
looks at everything again, once an hour.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Mapping
from typing import Any

YOUNG = 2_000
"""New objects between two collections of the youngest ones, each of which takes 2 ms (4 ms for the
survivors of ten). A command waits for fifty thousand, which took 25 to 90 ms of the loop and twice
as much in all, with 10 MB more, because cycles of finished work stayed longer.
"""
_USUAL = gc.get_threshold()
EVERY = 3600.0
"""Seconds between two collections of everything."""


def settle() -> None:
    """Freezes the living objects, now and after every full collection."""
    if _keep_settled not in gc.callbacks:
        gc.callbacks.append(_keep_settled)
    gc.set_threshold(YOUNG)
    gc.collect()


def keep() -> None:
    """Freezes the modules and objects that were loaded since then, too: looking at all of them
    again would be a full collection, in whatever thread and moment it comes.
    """
    gc.freeze()


def unsettle() -> None:
    """Restores Python's default: every collection looks at everything."""
    if _keep_settled in gc.callbacks:
        gc.callbacks.remove(_keep_settled)
    gc.unfreeze()
    gc.set_threshold(*_USUAL)


async def sweep(every: float = EVERY) -> None:
    """Collects everything again and again, until it is cancelled."""
    while True:
        await asyncio.sleep(every)
        gc.unfreeze()
        gc.collect()


def _keep_settled(phase: str, about: Mapping[str, Any]) -> None:
    if phase == "stop" and about["generation"] == 2:  # the oldest of its three
        gc.freeze()
