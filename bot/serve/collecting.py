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

EVERY = 3600.0
"""Seconds between two looks at everything."""


def settle() -> None:
    """Takes what is alive out of the collector's sight, now and after every full collection."""
    if _keep_settled not in gc.callbacks:
        gc.callbacks.append(_keep_settled)
    gc.collect()


def unsettle() -> None:
    """Everything is looked at each time, as Python has it."""
    if _keep_settled in gc.callbacks:
        gc.callbacks.remove(_keep_settled)
    gc.unfreeze()


async def sweep(every: float = EVERY) -> None:
    """Looks at everything again and again, until it is cancelled."""
    while True:
        await asyncio.sleep(every)
        gc.unfreeze()
        gc.collect()


def _keep_settled(phase: str, about: Mapping[str, Any]) -> None:
    if phase == "stop" and about["generation"] == 2:  # the oldest of its three
        gc.freeze()
