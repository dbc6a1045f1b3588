"""The processes that read strangers' text for the library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapters.processes.memory import FORMS, READERS
from adapters.processes.workers import Workers

_LOADS = ("adapters.material.library",)
"""The modules that such a process imports as it starts: all of its possible work."""
_SIZE, _OWN = 2, 1 << 30
"""The number of processes that read material, and the bytes that each takes in a shell, which reads
for the person who types there.
"""
_FORM_LOADS = ("adapters.templates.marked", "core.words.receipt.reading")
_FORM_SECONDS, _FORM_LONGEST = 10.0, 60.0
"""Seconds for checking a text that someone brings to a page and that is not debated: of processor
time, and in all.
"""


@asynccontextmanager
async def open_workers(*, ahead: bool = False, own: bool = False) -> AsyncIterator[Workers]:
    """Opens the workers. No process is started before there is work, or one ``ahead`` of it: a
    process imports for a quarter of a second, which the caller can spend with its own imports.
    ``own`` means that the material is that of the person who typed the command.
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
    """Opens a separate worker for texts that people bring to be checked, so that no debate waits
    for it.
    """
    workers = Workers(
        size=1, seconds=_FORM_SECONDS, longest=_FORM_LONGEST, memory=FORMS, loads=_FORM_LOADS
    )
    try:
        yield workers
    finally:
        await workers.aclose()
