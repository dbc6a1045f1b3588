"""When the collector of garbage looks at what, so that it keeps the loop from nobody for long.

A full collection looks at every object that is alive, which takes tens of milliseconds of a busy
bot. What has lived through one is taken out of the collector's sight: the next looks at what is
newer. Such an object is let go of as ever when nothing holds it any more; only a circle of them
stays until ``sweep`` looks at everything again, once in an hour.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Mapping
from typing import Any

YOUNG = 2_000
"""New objects after which the youngest are looked through: 2 ms each time, 4 ms for what is left of
ten times. A command waits for fifty thousand, which took 25 to 90 ms of the loop and twice as much
in all, with 10 MB more, for circles of what is over were kept longer.
"""
_USUAL = gc.get_threshold()
EVERY = 3600.0
"""Seconds between two looks at everything."""


def settle() -> None:
    """Takes what is alive out of the collector's sight, now and after every full collection."""
    if _keep_settled not in gc.callbacks:
        gc.callbacks.append(_keep_settled)
    gc.set_threshold(YOUNG)
    gc.collect()


def unsettle() -> None:
    """Everything is looked at each time, as Python has it."""
    if _keep_settled in gc.callbacks:
        gc.callbacks.remove(_keep_settled)
    gc.unfreeze()
    gc.set_threshold(*_USUAL)


async def sweep(every: float = EVERY) -> None:
    """Looks at everything again and again, until it is cancelled."""
    while True:
        await asyncio.sleep(every)
        gc.unfreeze()
        gc.collect()


def _keep_settled(phase: str, about: Mapping[str, Any]) -> None:
    if phase == "stop" and about["generation"] == 2:  # the oldest of its three
        gc.freeze()
