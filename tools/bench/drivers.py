"""SQLite in threads of our own, or through SQLAlchemy's asyncio and aiosqlite: the same store, the
same rules of the file, the same groups of the writer, on the same work. ``docs/decisions.md`` says
what came of it.

``python -m tools.bench.drivers``. Each figure is the median of runs that take turns.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from storage import database as threads
from storage.codec import dump
from storage.database import Database, Work, database_url
from storage.database.clock import utc_now
from storage.schema import upgrade
from tools.bench.stores import commands_between, crowd, flood
from tools.bench.tables import measured, topic

T = TypeVar("T")
RUNS = 5


class AsyncDatabase(Database):
    """The store's work run by ``run_sync`` on aiosqlite's connections: each call that reaches
    SQLite is a hop into the connection's own thread.
    """

    def __init__(self, url: sa.URL, now: Callable[[], datetime] = utc_now) -> None:
        super().__init__(url, now)
        self._aio_write = _engine(url, "BEGIN IMMEDIATE", 1)
        self._aio_read = _engine(url, "BEGIN", 4)
        self._writes = threads._Lane(partial(_commit, self._aio_write))
        self._reads = threads._Lane(partial(_commit, self._aio_read))

    async def read(self, work: Work[T]) -> T:
        return await _transaction(self._aio_read, work)

    async def close(self) -> None:
        await super().close()
        await self._aio_write.dispose()
        await self._aio_read.dispose()


async def _commit(engine: AsyncEngine, group: list[Any]) -> list[Any]:
    try:
        return await _transaction(engine, lambda conn: threads._run(conn, group))
    except Exception as err:  # noqa: BLE001 (handed to whoever gave the work)
        if len(group) == 1:
            return [err]
    return [result for piece in group for result in await _commit(engine, [piece])]


async def _transaction(engine: AsyncEngine, work: Work[T]) -> T:
    async with engine.begin() as conn:
        return await conn.run_sync(work)


def _engine(url: sa.URL, begin: str, size: int) -> AsyncEngine:
    engine = create_async_engine(
        url.set(drivername="sqlite+aiosqlite"),
        pool_size=size,
        max_overflow=0,
        json_serializer=dump,
        json_deserializer=threads._load,
    )

    def connected(connection: Any, _: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for rule in ("journal_mode=WAL", "busy_timeout=10000", "synchronous=FULL"):
            cursor.execute(f"PRAGMA {rule}")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    def begun(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    sa.event.listen(engine.sync_engine, "connect", connected)
    sa.event.listen(engine.sync_engine, "begin", begun)
    return engine


Open = Callable[[str], Database]
DRIVERS: dict[str, Open] = {
    "threads": lambda url: Database(database_url(url)),
    "aiosqlite": lambda url: AsyncDatabase(database_url(url)),
}


async def one_debate(store: Database) -> float:
    """Returns the CPU milliseconds of a durable 3 x 3 debate whose model answers at once."""
    return (await measured(3, 3, topic(), store=store)).cpu * 1000


async def hundred(store: Database) -> float:
    """Returns the wall time of 100 debates at once, with a model of one second, as a ratio to the
    ideal of four rounds.
    """
    return (await crowd(store, 100))[1]


async def events(store: Database) -> float:
    """Returns the events a second of 100 debates whose model answers at once."""
    return await flood(store, 100)


async def between(here: Database, url: str, open_store: Open) -> float:
    """Returns the milliseconds from a command to its arrival in another process's store."""
    there = open_store(url)
    try:
        return (await commands_between(here, there, 20))[0] * 1000
    finally:
        await there.close()


WORK: tuple[tuple[str, Callable[[Database], Awaitable[float]] | None], ...] = (
    ("3 x 3 durable debate, CPU, ms", one_debate),
    ("100 at once, model 1 s, wall to ideal", hundred),
    ("events a second, 100 debates, model 0 s", events),
    ("a command to another replica, ms", None),
)


async def main() -> None:
    for name, work in WORK:
        figures: dict[str, list[float]] = {driver: [] for driver in DRIVERS}
        for run in range(RUNS + 1):
            for driver, open_store in DRIVERS.items():
                with tempfile.TemporaryDirectory(prefix="bench-drivers-") as folder:
                    url = str(Path(folder) / "bench.db")
                    await asyncio.to_thread(upgrade, database_url(url))
                    store = open_store(url)
                    take = work or partial(between, url=url, open_store=open_store)
                    figure = await take(store)
                    await store.close()
                if run:  # the first run warms both up
                    figures[driver].append(figure)
        rendered = ", ".join(f"{d} {statistics.median(f):.2f}" for d, f in figures.items())
        print(f"{name:<44} {rendered}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
