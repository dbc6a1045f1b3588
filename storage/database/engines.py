"""The engines of a database, and the rules of their connections.

SQLite: WAL with synchronous FULL (a lost commit would be a paid call paid again). Transactions that
write begin IMMEDIATE: a deferred one loses updates, or fails at once when it has to upgrade its
snapshot. Deleted or replaced bytes are always overwritten: rows change often during a debate, and
their old texts would stay in free pages for anyone who reads the file after their deletion. Local
disks only.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from sqlite3 import OperationalError as SqliteError
from typing import Any

import aiosqlite
import msgspec
import sqlalchemy as sa

from core.debate.errors import StoreAway
from storage.codec import dump
from storage.database.servers import connect_args, set_rules

_BUSY_MS = 10_000


def with_async_driver(url: sa.URL) -> sa.URL:
    backend = url.get_backend_name()
    driver = "aiosqlite" if backend == "sqlite" else "psycopg_async"
    return url.set(drivername=f"{backend}+{driver}")


def create_engine(
    url: sa.URL,
    *,
    begin: str,
    size: int,
    foreign_keys: bool = True,
    reads: bool = False,
    pooled: bool = False,
    lock_ms: int = _BUSY_MS,
) -> sa.Engine:
    """Creates an engine under the rules of this module.

    ``begin`` is how SQLite opens a transaction; an engine that only ``reads`` opens none on
    PostgreSQL, because that would be two more round trips. ``pooled``: connections are lent for a
    transaction. ``lock_ms``: how long a transaction waits for others on PostgreSQL.
    """
    if url.get_backend_name() == "sqlite":
        with_loop = url.get_driver_name() == "aiosqlite"
        engine = sa.create_engine(
            url,
            pool_size=size,
            max_overflow=0,
            pool_reset_on_return=None,  # each transaction ends itself
            connect_args={"async_creator_fn": OneCall} if with_loop else {},
            pool_use_lifo=True,  # one thread is woken again and again, not each in turn
            json_serializer=dump,
            json_deserializer=_load,
        )
        engine.dialect.use_insertmanyvalues_wo_returning = True  # one statement for many rows
        if url.database:
            _require_same_file(engine, Path(url.database))
        _sqlite_rules(engine, begin, foreign_keys)
        return engine
    engine = sa.create_engine(
        url,
        pool_size=size,
        max_overflow=0,
        isolation_level="AUTOCOMMIT" if reads else "READ COMMITTED",
        json_serializer=dump,
        json_deserializer=_load,
        connect_args=connect_args(url, pooled=pooled),
    )
    # The driver sends a statement a row as a pipeline: if this process freezes in its middle, the
    # server does not call the session idle, never ends it, and all others wait for its locks.
    engine.dialect.use_insertmanyvalues_wo_returning = True
    set_rules(engine, lock_ms, pooled=pooled, reads=reads)
    return engine


def _load(text: str) -> Any:
    return msgspec.json.decode(text)


def _sqlite_rules(engine: sa.Engine, begin: str, foreign_keys: bool) -> None:
    rules = (
        f"PRAGMA busy_timeout={_BUSY_MS}",
        "PRAGMA synchronous=FULL",
        "PRAGMA secure_delete=ON",
        f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}",
    )

    def connected(connection: Any, _: object) -> None:
        connection.isolation_level = None  # the driver begins nothing by itself
        for rule in rules:
            connection.execute(rule).close()

    def begun(connection: sa.Connection) -> None:
        driver = connection.connection.driver_connection
        if isinstance(driver, OneCall):
            driver.begin = begin
        else:
            connection.exec_driver_sql(begin)

    sa.event.listen(engine, "connect", connected)
    sa.event.listen(engine, "begin", begun)


def _require_same_file(engine: sa.Engine, file: Path) -> None:
    """Raises ``StoreAway`` if another file has replaced the open file when a transaction begins,
    because nobody would see what is written into the old file.
    """

    def which() -> tuple[int, int]:
        with suppress(OSError):
            stat = file.stat()
            return stat.st_dev, stat.st_ino
        return 0, 0

    def connected(_: object, record: sa.pool.ConnectionPoolEntry) -> None:
        record.info["file"] = which()

    def begun(connection: sa.Connection) -> None:
        if connection.info["file"] != which():
            raise StoreAway(
                "The database can't be used now (its file was replaced or removed: restart "
                "the bot)."
            )

    sa.event.listen(engine, "connect", connected)
    sa.event.listen(engine, "begin", begun)


def without_transaction(connection: sa.Connection) -> sa.Connection:
    """Lets a read of one statement run without a transaction around it: to end that takes another
    call of the thread, which costs more than a small statement.
    """
    driver = connection.connection.driver_connection
    if isinstance(driver, OneCall):
        driver.begin = ""
    return connection


def write_ahead(engine: sa.Engine) -> None:
    """Turns the write-ahead log on, which stays on in the file: each opening does it, once it knows
    that the file is ours. SQLite does not wait for another process that makes the same change,
    whatever the timeout.
    """
    end = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            with closing(engine.raw_connection()) as connection:
                connection.cursor().execute("PRAGMA journal_mode=WAL")
        except SqliteError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


_Run = Callable[[sqlite3.Cursor, str, Any], sqlite3.Cursor]


class OneCall(aiosqlite.Connection):
    """A connection, not yet open, for ``sqlite3.connect`` with these arguments, that runs each
    statement in one call of its thread: SQLAlchemy's four (make a cursor, run it, fetch its rows,
    close it) cost more than a small statement. ``begin`` is what begins a transaction before the
    next statement, "" if that is done.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(lambda: sqlite3.connect(*args, **kwargs), 0)
        self._thread.daemon = True  # as SQLAlchemy sets it
        self.begin = ""

    def cursor(self) -> _Cursor:  # type: ignore[override]
        return _Cursor(self)

    async def commit(self) -> None:
        self.begin = ""
        if self._conn.in_transaction:  # else nothing was done, or by one statement alone
            await super().commit()

    async def rollback(self) -> None:
        self.begin = ""
        await super().rollback()

    async def run(self, run: _Run, statement: str, parameters: Any) -> _Ran:
        """Runs a statement and reads all its rows."""

        def work() -> _Ran:
            begin, self.begin = self.begin, ""
            cursor = self._conn.cursor()
            try:
                if begin:
                    cursor.execute(begin)
                run(cursor, statement, parameters)
                rows = cursor.fetchall()
                return rows, cursor.description, cursor.rowcount, cursor.lastrowid
            finally:
                cursor.close()

        ran: _Ran = await self._execute(work)  # type: ignore[no-untyped-call]
        return ran


_Ran = tuple[list[Any], Any, int, int | None]


class _Cursor:
    """The part of a cursor that SQLAlchemy uses."""

    def __init__(self, connection: OneCall) -> None:
        self._connection = connection
        self._ran: _Ran = ([], None, -1, None)
        self.arraysize = 1

    async def __aenter__(self) -> _Cursor:
        return self

    async def execute(self, statement: str, parameters: Iterable[Any] = ()) -> None:
        self._ran = await self._connection.run(sqlite3.Cursor.execute, statement, parameters)

    async def executemany(self, statement: str, parameters: Iterable[Any]) -> None:
        self._ran = await self._connection.run(sqlite3.Cursor.executemany, statement, parameters)

    async def fetchall(self) -> list[Any]:
        return self._ran[0]

    @property
    def description(self) -> Any:
        return self._ran[1]

    @property
    def rowcount(self) -> int:
        return self._ran[2]

    @property
    def lastrowid(self) -> int | None:
        return self._ran[3]

    async def close(self) -> None:
        """Does nothing: the cursor was closed in the thread."""
