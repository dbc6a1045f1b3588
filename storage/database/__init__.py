"""One database, SQLite or PostgreSQL, over SQLAlchemy's asyncio drivers.

Work is a plain function of a ``Connection`` that runs in one transaction, so it is straight code
that waits for nothing but the database. It must do nothing but talk to its connection: if a
connection breaks before the commit, it is replaced and the work is done once more. Testing each
connection first would be a round trip a transaction.

The code calls ``greenlet_spawn``, by which SQLAlchemy's AsyncEngine calls everything, because
importing that class loads the ORM, a twelfth of the time that ``debate list`` takes to start.

**The order of locks**: a write transaction first waits until it is the only one, on both databases,
and then takes whatever else it needs in any order, because nobody else holds anything that it waits
for. SQLite has that lock (``BEGIN IMMEDIATE``); on PostgreSQL it is one advisory lock of all
replicas (``servers.WRITER``). Reads, heartbeats and notifications hold nothing while they wait.

Transient failures (a deadlock with another program, a serialization failure, a busy file) are tried
once more, only here; if the work fails again, it raises ``StoreAway``.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from datetime import datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from sqlite3 import (
    SQLITE_BUSY,
    SQLITE_CANTOPEN,
    SQLITE_FULL,
    SQLITE_IOERR,
    SQLITE_READONLY,
    connect,
)
from sqlite3 import Connection as SqliteConnection
from sqlite3 import OperationalError as SqliteError
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.util import greenlet_spawn

from core.debate.errors import BadInput, StoreAway, brought_by
from storage.database.clock import SERVER_TIME, Instant, steady_clock, utc_now
from storage.database.engines import create_engine, with_async_driver, without_transaction
from storage.database.files import default_file
from storage.database.servers import libpq, with_hosts_apart

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

T = TypeVar("T")
Work = Callable[[sa.Connection], T]
Values = Mapping[str, Any] | None

_SQLITE_AWAY = (SQLITE_BUSY, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN)
_POSTGRES_TRANSIENT = ("40001", "40P01")
"""A serialization failure and a deadlock: nothing was written, and the next try can succeed."""
_POSTGRES_AWAY = {
    "25006": "it takes no writes",
    "53100": "its disk is full",
    "55P03": "other processes have been writing to it for too long",
    **dict.fromkeys(_POSTGRES_TRANSIENT, "other processes write the same rows"),
}
"""The failures that mean an unavailable server, by PostgreSQL's codes
(https://www.postgresql.org/docs/current/errcodes-appendix.html).
"""
_TAKES_NO_WRITES = sa.text(
    "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool"
)
"""True for a standby of PostgreSQL, and for a server or database that is set to read-only."""
_LEAST_ROOM = 1 << 20
"""The fewest free bytes of a disk to which SQLite can be expected to write."""
_READERS = 4


def database_url(text: str) -> sa.URL:
    """Returns the person's text as a URL with a driver that we use. A bare path is a SQLite file,
    and no text is the one in the user's data folder. Raises ``BadInput``.
    """
    if ":memory:" in text or "mode=memory" in text:
        raise BadInput("SQLite needs a file: a database in memory would forget every debate.")
    if "://" not in text:
        return sa.URL.create("sqlite+pysqlite", database=text or str(default_file()))
    try:
        url = sa.make_url(with_hosts_apart(text))
    except (sa.exc.ArgumentError, ValueError) as err:
        raise BadInput(
            "The database URL cannot be read: write a path, sqlite:///FILE or "
            "postgresql+psycopg://USER@HOST/NAME."
        ) from err
    backend = url.drivername.partition("+")[0]
    if backend == "sqlite":
        if not url.database:
            raise BadInput("SQLite needs a file, like sqlite:////srv/debate.db.")
        return url.set(drivername="sqlite+pysqlite")
    if backend in ("postgresql", "postgres"):
        if find_spec("psycopg") is None or find_spec("procrastinate") is None:
            raise BadInput(
                "PostgreSQL needs parts that are not installed. They come with: "
                f"{brought_by('postgres')}"
            )
        return url.set(drivername="postgresql+psycopg")
    raise BadInput(
        f"{backend} is no database that debatebot knows: use SQLite or PostgreSQL "
        "(postgresql+psycopg://...)."
    )


def sqlite_file(url: sa.URL) -> Path | None:
    """Returns the file of a SQLite database, None for a server."""
    if url.get_backend_name() == "sqlite" and url.database:
        return Path(url.database)
    return None


class Database:
    """A database that is open until ``close`` and belongs to the event loop it is used in.

    ``now`` is the clock of everything that people read of it; if a test sets it, claims and waits
    follow it, too. ``direct`` is PostgreSQL's own address if ``url`` leads through a pooler.
    """

    def __init__(
        self,
        url: sa.URL,
        now: Callable[[], datetime] = utc_now,
        direct: sa.URL | None = None,
    ) -> None:
        self.url = url
        self.now = now
        self.session_address = "" if sqlite_file(url) else libpq(direct or url)
        """An address, as libpq reads it, at which a connection is one session as long as it is
        open.
        """
        self.sqlite = url.get_backend_name() == "sqlite"
        self._steady = steady_clock() if now is utc_now else now
        self._server_time = now is utc_now and not self.sqlite
        pooled = direct is not None
        url = with_async_driver(url)
        self._writes = _Lane(create_engine(url, begin="BEGIN IMMEDIATE", size=1, pooled=pooled), 1)
        self._reads = _Lane(
            create_engine(url, begin="BEGIN", size=_READERS, reads=True, pooled=pooled), _READERS
        )
        self._counter: SqliteConnection | None = None
        self._beside: list[Callable[[], Awaitable[None]]] = []
        self.posted = asyncio.Event()
        """Set when this process has put posts into the outbox."""

    def moment(self) -> Instant:
        """Returns the time by which claims and waits are counted: PostgreSQL's own for all its
        replicas, this process's steady clock on SQLite. No wall clock that is set moves it.
        """
        return SERVER_TIME if self._server_time else self._steady()

    async def write(self, work: Work[T]) -> T:
        """Returns the result of ``work`` once it is durable. It runs to its end even if the caller
        is cancelled.
        """
        return await self._writes.run(work)

    async def read(self, work: Work[T]) -> T:
        """Returns the result of ``work``, which sees one snapshot (SQLite; on PostgreSQL each
        statement has its own, as in a transaction there) and changes nothing.
        """
        return await self._reads.run(work)

    async def query(self, work: Work[T]) -> T:
        """Reads like ``read``, by a single statement, which needs no transaction around it."""
        return await self.read(lambda conn: work(without_transaction(conn)))

    async def rows(self, query: sa.Select[Any], values: Values = None) -> Sequence[Any]:
        """Returns the rows of a query; ``one`` returns the only one or None, ``column`` the first
        column, ``scalar`` the first value or None.
        """
        return await self.query(lambda conn: conn.execute(query, values).all())

    async def one(self, query: sa.Select[Any]) -> Any:
        return await self.query(lambda conn: conn.execute(query).one_or_none())

    async def column(self, query: sa.Select[Any]) -> list[Any]:
        return await self.query(lambda conn: list(conn.execute(query).scalars()))

    async def scalar(self, query: sa.Select[Any] | sa.TextClause, values: Values = None) -> Any:
        return await self.query(lambda conn: conn.execute(query, values).scalar())

    async def change(
        self, statement: sa.Insert | sa.Update | sa.Delete, values: Values = None
    ) -> int:
        """Runs one statement, and returns the number of rows that it changed."""
        return await self.write(lambda conn: conn.execute(statement, values).rowcount)

    async def write_apart(self, work: Work[T]) -> T:
        """Writes like ``write``, but on PostgreSQL never waits for other writes: for heartbeats."""
        return await (self._writes if self.sqlite else self._reads).run(work)

    async def require_writes(self) -> None:
        """Returns if the database answers and takes writes, as far as it says so itself. Raises
        ``StoreAway``.
        """
        file = sqlite_file(self.url)
        if file is None:
            takes = not await self.scalar(_TAKES_NO_WRITES)
        else:
            await self.scalar(sa.select(1))
            takes = os.access(file, os.W_OK)
            if shutil.disk_usage(file).free < _LEAST_ROOM:
                raise StoreAway("The database can't be used now (its disk is full).")
        if not takes:
            raise StoreAway("The database can't be used now (it takes no writes).")

    async def checkpoint(self) -> None:
        """Moves the content of SQLite's log into the file and empties the log, as far as no reader
        needs it: deleted data is then nowhere.
        """
        if self.sqlite:
            await self._writes.checkpoint()

    def version(self) -> int | None:
        """Returns a number that changes with every commit to a SQLite file, which is quick to read;
        None on PostgreSQL, which has none.
        """
        if not self.sqlite:
            return None
        if self._counter is None:
            self._counter = connect(str(self.url.database))
        return int(self._counter.execute("PRAGMA data_version").fetchone()[0])

    def close_with(self, close: Callable[[], Awaitable[None]]) -> None:
        """Registers a closing function that runs before the database closes."""
        self._beside.append(close)

    async def close(self) -> None:
        """Finishes the pending work and closes every connection."""
        for close in self._beside:
            await close()
        await self._reads.close()
        await self._writes.close()
        if self._counter is not None:
            self._counter.close()


class _Lane:
    """An engine whose ``size`` connections are lent in the order in which they are asked for."""

    def __init__(self, engine: sa.Engine, size: int) -> None:
        self.engine = engine
        self._turns = asyncio.Semaphore(size)
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False
        self._failed_at, self._why = 0.0, ""

    async def run(self, work: Work[T]) -> T:
        """Returns the result of a transaction. It runs to its end even if the caller is cancelled:
        a connection is never given back in the middle of a statement.
        """
        if self._closed:
            raise RuntimeError("the database is closed")
        task = asyncio.create_task(self._in_turn(work), name="store")
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def checkpoint(self) -> None:
        async with self._turns:
            await greenlet_spawn(_checkpoint, self.engine)

    async def close(self) -> None:
        """Accepts no more work and finishes what is pending."""
        self._closed = True
        await asyncio.gather(*self._running, return_exceptions=True)
        await greenlet_spawn(self.engine.dispose)

    async def _in_turn(self, work: Work[T]) -> T:
        began = time.monotonic()
        async with self._turns:
            if began < self._failed_at:  # else each of a crowd would wait for the same failure
                raise StoreAway(self._why)
            try:
                return await greenlet_spawn(_transaction, self.engine, work)
            except StoreAway as error:
                self._failed_at, self._why = time.monotonic(), str(error)
                raise


def _transaction(engine: sa.Engine, work: Work[T]) -> T:
    """Runs ``work`` in a transaction. Raises ``StoreAway`` if no connection can be had, the disk
    accepts nothing, or a transient failure comes twice.
    """
    try:
        with suppress(_OnceMoreError):
            return _tried(engine, work)
        with engine.begin() as conn:  # the pool has let go of all broken connections
            return work(conn)
    except sa.exc.DBAPIError as error:
        if why := _why_away(error):
            raise StoreAway(why) from error
        raise


def _checkpoint(engine: sa.Engine) -> None:
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def _why_away(error: sa.exc.DBAPIError) -> str:
    """Explains why the database is unavailable; "" if the statement is to blame."""
    if isinstance(error.orig, SqliteError):
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # the rest says it more closely
        return f"The database can't be used now ({error.orig})." if code in _SQLITE_AWAY else ""
    if why := _POSTGRES_AWAY.get(getattr(error.orig, "sqlstate", None) or ""):
        return f"The database can't be used now ({why})."
    connecting = isinstance(error, sa.exc.OperationalError) and error.statement is None
    return "The database does not answer." if error.connection_invalidated or connecting else ""


class _OnceMoreError(Exception):
    """The transaction left nothing behind and is worth a second try."""


def _tried(engine: sa.Engine, work: Work[T]) -> T:
    committing = False
    try:
        with engine.begin() as conn:
            result = work(conn)
            committing = True
        return result
    except sa.exc.DBAPIError as error:
        # if the connection broke during the commit, nobody knows whether it was stored
        if _is_transient(error) or (error.connection_invalidated and not committing):
            raise _OnceMoreError from error
        raise


def _is_transient(error: sa.exc.DBAPIError) -> bool:
    if isinstance(error.orig, SqliteError):
        return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == SQLITE_BUSY
    return getattr(error.orig, "sqlstate", None) in _POSTGRES_TRANSIENT


def named(column: sa.ColumnElement[str], begin: str, end: str) -> sa.ColumnElement[bool]:
    """Returns the condition that ``column`` begins with ``begin`` and ends with ``end``; without an
    end, that it equals ``begin``.
    """
    if not end:
        return column == begin
    return sa.and_(column.startswith(begin, autoescape=True), column.endswith(end, autoescape=True))


def in_places(place: sa.ColumnElement[str], within: Sequence[str] | None) -> sa.ColumnElement[bool]:
    """Returns the condition that a place begins with one of ``within``; None is any place."""
    if within is None:
        return sa.true()
    return sa.or_(sa.false(), *(place.startswith(each, autoescape=True) for each in within))


def padded(values: Sequence[T]) -> Sequence[T]:
    """Repeats the last value up to a power of two: otherwise each length would be a separate
    statement, which a statement cache would hold for ever.
    """
    if not values:
        return values
    return [*values, *[values[-1]] * ((1 << (len(values) - 1).bit_length()) - len(values))]


def insert_new(conn: sa.Connection, table: sa.Table, *unique: str) -> sa.Insert:
    """Builds an insert that does nothing if the row's ``unique`` columns are taken; ``RETURNING``
    then yields nothing.
    """
    return _insert_new(conn.dialect.name, table, unique)


def inserted(conn: sa.Connection, table: sa.Table, row: dict[str, Any], *unique: str) -> bool:
    """Inserts a row; returns False if its ``unique`` columns are taken."""
    return (
        conn.execute(insert_new(conn, table, *unique).returning(table.c[unique[0]]), row).scalar()
        is not None
    )


def upsert(conn: sa.Connection, table: sa.Table) -> sa.Insert:
    """Builds an insert that replaces the row that has the same primary key."""
    return _upsert(conn.dialect.name, table)


@cache  # building a statement costs more than running it
def _insert_new(dialect: str, table: sa.Table, unique: tuple[str, ...]) -> sa.Insert:
    return _insert(dialect, table).on_conflict_do_nothing(index_elements=unique)


@cache
def _upsert(dialect: str, table: sa.Table) -> sa.Insert:
    insert = _insert(dialect, table)
    rest = {
        column.name: insert.excluded[column.name]
        for column in table.columns
        if not column.primary_key
    }
    return insert.on_conflict_do_update(index_elements=list(table.primary_key), set_=rest)


def _insert(dialect: str, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)


def value_of(kind: type[T], row: Any, **other: Any) -> T:
    """Returns a dataclass whose fields are the columns of a row with their names, and ``other``."""
    columns = row._asdict()
    known: Any = fields(kind)  # type: ignore[arg-type]
    named = {field.name: columns[field.name] for field in known if field.name in columns}
    return kind(**(named | other))


def put(conn: sa.Connection, insert: sa.Insert, rows: list[dict[str, Any]]) -> None:
    """Inserts rows, if there are any, by one statement."""
    if rows:
        conn.execute(insert, rows)
