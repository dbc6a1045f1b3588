"""Writers of all processes follow each other, and a transient failure is tried once more. Every
other test on PostgreSQL reads the order of locks in what it writes (``tests.locking``).
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from core.debate.errors import StoreAway
from storage.database import Database
from storage.debates import Debates
from storage.schema import open_database
from storage.tables import DEBATE
from tests.locking import recorded
from tests.patience import PATIENCE
from tests.pg import Postgres
from tests.storage.samples import requested


def retitle(conn: sa.Connection, debate: str, title: str) -> None:
    conn.execute(sa.update(DEBATE).where(DEBATE.c.id == debate).values(title=title))


async def titles(db: Database) -> list[str]:
    query = sa.select(DEBATE.c.title).order_by(DEBATE.c.id)
    return list(await db.read(lambda conn: conn.execute(query).scalars().all()))


async def test_writers_that_need_the_same_rows_in_another_order_follow_each_other(
    db: Database, database_address: str
) -> None:
    """Two replicas; on SQLite a shell beside a bot. Without the order the two would wait for each
    other until the server ends one of them.
    """
    for id in ("d1", "d2"):
        await Debates(db).create(requested(id), id)
    other = await open_database(database_address)
    inside = threading.Event()
    order: list[str] = []

    def change(conn: sa.Connection, name: str, *debates: str) -> None:
        for debate in debates:
            retitle(conn, debate, name)  # SQLite takes its lock with the first statement
            order.append(name)
            inside.set()
            threading.Event().wait(0.2)  # the other one would take its first row now

    one = asyncio.create_task(db.write(lambda conn: change(conn, "one", "d1", "d2")))
    assert await asyncio.to_thread(inside.wait, PATIENCE)
    await other.write(lambda conn: change(conn, "two", "d2", "d1"))
    await one
    await other.close()
    assert order == ["one", "one", "two", "two"]
    assert await titles(db) == ["two", "two"]


async def test_the_locks_of_a_write_are_read(postgres_server: Postgres) -> None:
    """The check of the other tests sees a write with another order."""
    url = postgres_server.lend()
    db = await open_database(url)
    with recorded() as statements:
        await Debates(db).create(requested(), "k")
        assert (statements.faults, statements.writes) == ([], 1)
        await db.write(lambda conn: conn.execute(sa.select(DEBATE.c.id).with_for_update()).all())
        await db.read(lambda conn: retitle(conn, "d1", "x"))
    assert [fault.partition(":")[0] for fault in statements.faults] == [
        "one more lock", "without a transaction",
    ]  # fmt: skip
    await db.close()
    postgres_server.take_back(url)


@pytest.mark.parametrize("code", ["40P01", "40001"])
async def test_a_transient_failure_of_the_server_is_tried_once_more(
    postgres_url: str, code: str
) -> None:
    db = await open_database(postgres_url)
    await Debates(db).create(requested(), "k")
    for times in (1, 2):
        tries: list[str] = []

        def change(conn: sa.Connection, tries: list[str] = tries, times: int = times) -> None:
            tries.append(code)
            retitle(conn, "d1", f"{len(tries)}")
            if len(tries) <= times:
                raising = f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$"
                conn.exec_driver_sql(raising)

        if times == 1:
            await db.write(change)
            assert await titles(db) == ["2"]
        else:
            with pytest.raises(StoreAway, match=r"^The database can't be used now \(other process"):
                await db.write(change)
        assert len(tries) == 2
    await db.close()


async def test_a_busy_file_is_tried_once_more(tmp_path: Path) -> None:
    """A reader's snapshot is outdated when it begins to write: SQLite refuses that at once."""
    file = tmp_path / "debate.db"
    db = await open_database(str(file))
    await Debates(db).create(requested(), "k")
    tries: list[int] = []

    def change(conn: sa.Connection) -> None:
        conn.execute(sa.select(DEBATE.c.id)).all()
        if not tries:
            with closing(sqlite3.connect(file, isolation_level=None)) as another:
                another.execute("UPDATE debate SET title = 'theirs'")
        tries.append(len(tries))
        retitle(conn, "d1", "ours")

    await db.read(change)
    assert tries == [0, 1]
    assert await titles(db) == ["ours"]
    await db.close()


async def test_a_write_that_freezes_ends_on_the_server(postgres_url: str) -> None:
    """The server does not call a session idle that waits for the rest of a statement."""
    db = await open_database(postgres_url)
    limits = "idle_in_transaction_session_timeout", "transaction_timeout"

    def ask(conn: sa.Connection) -> list[str]:
        return [str(conn.exec_driver_sql(f"SHOW {limit}").scalar()) for limit in limits]

    assert await db.write(ask) == ["3333ms", "30s"]
    await db.close()
