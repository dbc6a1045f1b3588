"""Schedules Python's garbage collector so that it never holds up the event loop for long.

A full collection looks at every living object, which takes tens of milliseconds in a busy bot.
Objects that live long are therefore frozen, and no collection looks at them again. A frozen object
is still freed as soon as nothing refers to it; only a cycle of them stays until ``sweep`` looks at
everything, which it does if nobody waits.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import sys
from collections.abc import Callable, Mapping
from typing import Any

THRESHOLDS = (2_000, 2, 1)
"""New objects before a collection of the youngest, collections of the youngest before one of the
middle generation, and those before a full one, each passed by one: a full one looks at 18,000 new
objects.
"""
_FROZEN_AT = 2
"""Full collections from one freezing to the next. At each one, many objects would be frozen just
before they die, and their cycles would stay; at fewer, the same ones would be looked at again and
again. How many live is not counted: a list of all objects refers to tuples that another thread is
still making, which fails there.
"""
_full_collections = itertools.count(1)
LOOK = 60.0
"""Seconds between two looks at whether everything should be collected."""
GROWTH = 100_000
"""Objects that are frozen since everything was looked at before it is looked at again."""


def settle() -> None:
    """Freezes the living objects, now and at every second full collection."""
    if _freeze_survivors not in gc.callbacks:
        gc.callbacks.append(_freeze_survivors)
    gc.set_threshold(*THRESHOLDS)
    collect_everything()


def keep() -> None:
    """Freezes the modules and objects that were loaded since then, too, and gives free memory back
    to the system, which glibc would keep.
    """
    gc.freeze()
    gc.collect()  # Python waits with a full one for a quarter of what lived through the last: 0 now
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def collect_everything() -> None:
    """Looks at all objects, the frozen ones too."""
    gc.unfreeze()
    gc.collect()
    keep()


class Sweep:
    """Collects everything when ``growth`` objects more are frozen, and it is ``quiet``."""

    def __init__(self, quiet: Callable[[], bool], growth: int = GROWTH) -> None:
        self._quiet, self._growth = quiet, growth
        self._before = gc.get_freeze_count()

    async def look(self) -> None:
        if gc.get_freeze_count() >= self._before + self._growth and self._quiet():
            collect_everything()
            self._before = gc.get_freeze_count()


def _freeze_survivors(phase: str, about: Mapping[str, Any]) -> None:
    full = phase == "stop" and about["generation"] == 2  # the oldest of its three
    if full and next(_full_collections) % _FROZEN_AT == 0:
        gc.freeze()
