"""A database that takes nothing now is told in one sentence; it goes on where it takes again."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from core.debate.errors import StoreAway
from storage.database import Database
from storage.debates import Debates
from storage.tables import DEBATE
from tests.storage.samples import requested


def retitle_read_only(conn: sa.Connection) -> None:
    """Fails the write as a standby's database would."""
    if conn.dialect.name != "sqlite":
        conn.exec_driver_sql("SET TRANSACTION READ ONLY")
        retitle(conn)
        return
    conn.exec_driver_sql("PRAGMA query_only=ON")
    try:
        retitle(conn)
    finally:
        conn.exec_driver_sql("PRAGMA query_only=OFF")


def retitle(conn: sa.Connection) -> None:
    conn.execute(sa.update(DEBATE).values(title="x" * 100_000))


async def test_one_that_takes_no_writes_is_away_and_comes_back(db: Database) -> None:
    await Debates(db).create(requested(), "k")
    with pytest.raises(StoreAway, match=r"^The database can't be used now \(.+\)\.$") as away:
        await db.write(retitle_read_only)
    assert "UPDATE" not in str(away.value)
    line = await Debates(db).get("d1")
    assert line is not None
    assert line.title != "x" * 100_000
    await Debates(db).create(requested("d2"), "k2")


async def test_a_crowd_hears_of_the_failure_that_it_waited_behind(db: Database) -> None:
    """Else each would wait for the same time-out, one after the other."""
    await Debates(db).create(requested(), "k")
    crowd = [db.write(work) for work in (retitle_read_only, retitle, retitle)]
    failures = await asyncio.gather(*crowd, return_exceptions=True)
    assert [type(one) for one in failures] == [StoreAway] * 3
    assert len({str(one) for one in failures}) == 1
    await db.write(retitle)


async def test_a_write_runs_to_its_end_when_its_caller_is_cancelled(db: Database) -> None:
    await Debates(db).create(requested(), "k")
    caller = asyncio.create_task(db.write(retitle))
    await asyncio.sleep(0)
    caller.cancel()
    await db.write(lambda conn: conn.exec_driver_sql("SELECT 1").scalar())  # after the other
    line = await Debates(db).get("d1")
    assert line is not None
    assert line.title == "x" * 100_000


async def test_a_full_disk_loses_nothing_and_is_told(db: Database) -> None:
    if not db.sqlite:
        pytest.skip("a server's disk is not ours to fill")
    await Debates(db).create(requested(), "k")

    def full(conn: sa.Connection) -> None:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(f"PRAGMA max_page_count={pages}")

    await db.write(full)
    with pytest.raises(StoreAway, match=r"database or disk is full"):
        await db.write(retitle)
    assert await Debates(db).load("d1") == [requested()]
    await db.write(lambda conn: conn.exec_driver_sql("PRAGMA max_page_count=1073741823").scalar())
    await db.write(retitle)
    line = await Debates(db).get("d1")
    assert line is not None
    assert line.title == "x" * 100_000
