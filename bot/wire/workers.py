"""The processes that read strangers' text for the library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapters.processes.memory import FORMS, READERS
from adapters.processes.workers import Workers

_LOADS = ("adapters.material.library",)
"""What such a process imports as it starts: everything that its work can be."""
_SIZE, _OWN = 2, 1 << 30
"""Processes that read what is debated; bytes that they take in a shell, which reads for whoever
types there.
"""
_FORM_LOADS = ("adapters.templates.marked", "core.receipt.brought")
_FORM_SECONDS = 10.0
"""Seconds for what somebody brings to a page to be checked, and is not debated."""


@asynccontextmanager
async def open_workers(*, ahead: bool = False, own: bool = False) -> AsyncIterator[Workers]:
    """None is started before there is work, or one ``ahead`` of it: a process imports for a
    quarter of a second, which whoever starts it can spend with imports of its own. ``own``: what is
    read is that of whoever typed the command.
    """
    workers = Workers(size=_SIZE, memory=_OWN if own else READERS, loads=_LOADS)
    try:
        if ahead:
            await workers.start()
        yield workers
    finally:
        await workers.aclose()


@asynccontextmanager
async def open_form_workers() -> AsyncIterator[Workers]:
    """One of its own for what people bring to be checked, so that no debate waits for it."""
    workers = Workers(size=1, seconds=_FORM_SECONDS, memory=FORMS, loads=_FORM_LOADS)
    try:
        yield workers
    finally:
        await workers.aclose()
