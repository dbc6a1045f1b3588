"""Documents and pages of whole debates, made in a thread: the largest take a quarter of a second,
which would block the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
_AT_ONCE = 2
"""Threads for this work: few, so that many large documents leave threads to shorter work and the
loop its turn.
"""
_THREADS = ThreadPoolExecutor(_AT_ONCE, "documents")


async def make_in_thread(make: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Runs ``make`` in a thread and returns its result; its values must never change, as debates,
    events and outcomes.
    """
    loop, run = asyncio.get_running_loop(), copy_context().run
    return await loop.run_in_executor(_THREADS, partial(run, make, *args, **kwargs))
