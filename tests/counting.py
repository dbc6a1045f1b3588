"""Counts work, which is the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


def steps(work: Callable[[], object]) -> int:
    """Counts the calls, lines and returns of Python that ran in this thread. What one line has an
    engine in C do (a regular expression, a search, a copy) is one step, however long the text is.
    """
    count = 0

    def traced(_: FrameType, __: str, ___: object) -> Callable[..., Any]:
        nonlocal count
        count += 1
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@contextmanager
def calls_counted() -> Iterator[Counter[str]]:
    """Counts how often each function ran in this thread, in Python and in C, by its name."""
    counted: Counter[str] = Counter()

    def seen(frame: FrameType, event: str, what: Any) -> None:
        if event == "call":
            counted[frame.f_code.co_name] += 1
        elif event == "c_call":
            counted[getattr(what, "__name__", "")] += 1

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        yield counted
    finally:
        sys.setprofile(before)
