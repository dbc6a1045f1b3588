"""The processes that read strangers' text for the library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapters.processes.workers import Workers

_LOADS = ("adapters.material.library",)
"""What such a process imports as it starts: everything that its work can be."""


@asynccontextmanager
async def open_workers(*, ahead: bool = False) -> AsyncIterator[Workers]:
    """None is started before there is work, or one ``ahead`` of it: a process imports for a
    quarter of a second, which whoever starts it can spend with imports of its own.
    """
    workers = Workers(loads=_LOADS)
    try:
        if ahead:
            await workers.start()
        yield workers
    finally:
        await workers.aclose()
