"""The lock over all replicas, and the connection that holds it."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from storage.database import Database
from storage.database.alone import Alone
from storage.schema import open_database
from tests.patience import PATIENCE

LOCK = 4711
_HOLDER = sa.text("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = :lock")


async def holder(db: Database) -> int:
    return await db.read(lambda conn: int(conn.execute(_HOLDER, {"lock": LOCK}).scalar_one()))


async def test_only_one_of_two_databases_is_within(db: Database, database_address: str) -> None:
    other = db if db.sqlite else await open_database(database_address)
    mine = Alone(db, LOCK)
    theirs = mine if db.sqlite else Alone(other, LOCK)  # a SQLite file has one bot
    inside, most = 0, 0

    async def work(alone: Alone) -> None:
        nonlocal inside, most
        async with alone.within():
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.005)
            inside -= 1

    await asyncio.gather(*(work(alone) for alone in (mine, theirs) * 5))
    if other is not db:
        await other.close()
    assert most == 1


async def test_every_time_the_same_connection_holds_it_until_it_breaks(db: Database) -> None:
    if db.sqlite:
        pytest.skip("a SQLite file has one bot and no lock")
    alone, pids = Alone(db, LOCK), []
    for _ in range(4):
        async with alone.within():
            pids.append(await holder(db))
    await db.write(
        lambda conn: conn.execute(sa.select(sa.func.pg_terminate_backend(pids[0]))).all()
    )
    for _ in range(2):
        async with alone.within():
            pids.append(await holder(db))
    assert pids[:4] == [pids[0]] * 4
    assert pids[4] == pids[5] != pids[0]


async def test_who_is_told_to_stop_while_waiting_holds_nothing(
    db: Database, database_address: str
) -> None:
    if db.sqlite:
        pytest.skip("a SQLite file has one bot and no lock")
    other = await open_database(database_address)
    mine, theirs = Alone(db, LOCK), Alone(other, LOCK)
    entered = []

    async def enter() -> None:
        async with theirs.within():
            entered.append(True)

    async with mine.within():
        waiting = asyncio.create_task(enter())
        for _ in range(int(PATIENCE / 0.01)):
            if (
                await db.read(lambda conn: conn.execute(_HOLDER, {"lock": LOCK}).all().__len__())
                > 1
            ):
                break
            await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.wait([waiting])
    async with mine.within():
        await holder(db)
    await enter()
    await other.close()
    assert entered == [True]
