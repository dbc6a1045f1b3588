"""Measures how long a debate stops when the replica that plays it is killed: two processes on one
PostgreSQL, kill -9, the next event.

``python -m tools.bench.takeover`` freezes replicas with the product's own rhythm; ``make bench``
kills one with the rhythm of the tests (missed after 1.5 s, swept every 0.5 s).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from core.debate import events as e
from storage.database import Database
from storage.debates import Debates
from tests.bot.serve.replica import OWN
from tools.bench.stores import opened, postgres
from tools.bench.tables import change, opening


async def seconds(
    url: str, folder: Path, how: signal.Signals = signal.SIGKILL, *flags: str
) -> float:
    """Returns the seconds from the end of one replica (``how``) to the survivor's first event."""
    async with opened(url) as store:
        replicas = [await _replica(url, folder, *flags) for _ in range(2)]
        try:
            first, begun = opening("takeover", 5, 6, change())
            begun = _scripted(begun)
            debates = Debates(store)
            await debates.create(first, first.id, past=(begun,))
            seen = await _grown(debates, first.id, 2 + 6)
            owner = await _owner(store, first.id)
            os.kill(owner, how)
            at = time.perf_counter()
            await _grown(debates, first.id, seen + 1)
            return time.perf_counter() - at
        finally:
            for process in replicas:
                if process.returncode is None:
                    process.kill()
                await process.wait()


async def _replica(url: str, folder: Path, *flags: str) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bot.serve.replica",
        url,
        str(folder),
        *flags,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    if process.stdout is None or not (await process.stdout.readline()).startswith(b"ready"):
        raise RuntimeError("a replica did not start")
    return process


def _scripted(begun: e.DebateOpened) -> e.DebateOpened:
    return replace(begun, cast=dict.fromkeys(begun.cast, ("scripted",)))


async def _grown(debates: Debates, id: str, least: int) -> int:
    while True:
        line = await debates.get(id)
        if line is not None and line.events >= least:
            return line.events
        await asyncio.sleep(0.02)


async def _owner(store: Database, id: str) -> int:
    line = await Debates(store).get(id)
    if line is None or not line.owner:
        raise RuntimeError("nobody plays the debate")
    return int(line.owner.rpartition(":")[2])


def main() -> None:
    for _ in range(5):
        with postgres() as server, tempfile.TemporaryDirectory() as folder:
            took = asyncio.run(seconds(server, Path(folder), signal.SIGSTOP, OWN))
        print(f"frozen, to the survivor's first event: {took:.1f} s", flush=True)


if __name__ == "__main__":
    main()
