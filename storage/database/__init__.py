"""One database with two lanes: a writer that commits in groups, and readers that never wait for it.

Work is given as plain functions of a ``Connection`` and runs in threads, so that a transaction is
ordinary straight code, never waits for the network in its middle and costs one hop into a thread
instead of one per statement. The writer takes all pending work, runs it in one transaction and
commits once: many debates share one flush of the disk, and no caller returns before its work is on
the disk. When one piece of a group fails, the group is rolled back and each piece runs again in a
transaction without others, so a piece must do nothing but talk to its connection. A connection that
breaks before the commit is replaced, and the work is done once more; testing each connection first
would be a round trip a transaction. Reads that many debates need when they wake together are
grouped as well: a hop into a thread for each costs more than its rows.

**The order of locks**: a write transaction first waits until it is the only one, on both databases,
and then takes whatever else it needs in any order, because nobody else holds anything that it waits
for. SQLite has that lock (``BEGIN IMMEDIATE``); on PostgreSQL it is one advisory lock of all
replicas (``servers.WRITER``). Reads, heartbeats and notifications hold nothing while they wait.

Transient failures (a deadlock with another program, a serialization failure, a busy file) are tried
once more, here and nowhere else; if it fails again, ``StoreAway`` says so.

SQLite: WAL with synchronous FULL (a lost commit would be a paid call paid again), one write
connection that begins IMMEDIATE (a deferred one loses updates or fails at once when it has to
upgrade its snapshot), readers on a snapshot of their own. Deleted or replaced bytes are always
overwritten: rows change often while a debate goes on, and their old texts would stay in free pages
for anybody who reads the file after the texts were deleted. Local disks only.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import cache, partial
from importlib.util import find_spec
from itertools import groupby
from operator import itemgetter
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

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from core.errors import BadInput, StoreAway, brought_by
from storage.codec import dump
from storage.database.clock import SERVER_TIME, Instant, steady_clock, utc_now
from storage.database.files import default_file
from storage.database.servers import connect_args, libpq, set_rules, with_hosts_apart

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

Item = TypeVar("Item")
T = TypeVar("T")
Work = Callable[[sa.Connection], T]
Together = Callable[[sa.Connection, list[Item]], None]
AskedTogether = Callable[[sa.Connection, list[Item]], list[T]]
_Piece = tuple[Callable[[sa.Connection, list[Any]], list[Any] | None], Any]
"""A waiting piece of work, after the function that does all of its kind in a group."""

_GROUP = 256
"""The most pieces of work in one transaction, so that a failure repeats few of them and a commit
delays nobody for long.
"""

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
_BUSY_MS = 10_000
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

    ``now`` is the clock of everything that people read of it; where a test sets it, claims and
    waits follow it, too. ``direct`` is PostgreSQL's own address where ``url`` leads through a
    pooler.
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
        self._write_engine = create_engine(url, begin="BEGIN IMMEDIATE", size=1, pooled=pooled)
        self._read_engine = create_engine(
            url, begin="BEGIN", size=_READERS, reads=True, pooled=pooled
        )
        self._writer = ThreadPoolExecutor(1, "store-write")
        self._readers = ThreadPoolExecutor(_READERS, "store-read")
        self._writes = _Lane(partial(_in_thread, self._writer, self._write_engine))
        self._reads = _Lane(partial(_in_thread, self._readers, self._read_engine))
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
        result: T = await self._writes.queued((_each, work))
        return result

    async def write_together(self, together: Together[Item], item: Item) -> None:
        """Writes like ``write`` for work that arrives in crowds: ``together`` writes all items that
        wait at the same moment with one statement, where each alone would need its own.
        """
        await self._writes.queued((together, item))

    async def read(self, work: Work[T]) -> T:
        """Returns the result of ``work``, which sees one snapshot (SQLite; on PostgreSQL each
        statement has its own, as in a transaction there) and changes nothing.
        """
        return await asyncio.get_running_loop().run_in_executor(
            self._readers, _transaction, self._read_engine, work
        )

    async def read_together(self, together: AskedTogether[Item, T], item: Item) -> T:
        """Reads like ``read`` for questions that arrive in crowds: ``together`` answers all items
        that wait at the same moment, in their order.
        """
        result: T = await self._reads.queued((together, item))
        return result

    async def write_apart(self, work: Work[T]) -> T:
        """Writes like ``write``, but on PostgreSQL never queued behind a group: for heartbeats."""
        if self.sqlite:
            return await self.write(work)
        return await self.read(work)

    async def checkpoint(self) -> None:
        """Moves the content of SQLite's log into the file and empties the log, as far as no reader
        needs it: deleted data is then nowhere.
        """
        if self.sqlite:
            await asyncio.get_running_loop().run_in_executor(self._writer, self._checkpointed)

    def _checkpointed(self) -> None:
        connection = self._write_engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            connection.close()

    @contextmanager
    def file_counter(self) -> Iterator[Callable[[], int]]:
        """Returns a number that changes with every commit to a SQLite file, which is quick to
        read.
        """
        with closing(connect(str(self.url.database))) as conn:
            yield lambda: int(conn.execute("PRAGMA data_version").fetchone()[0])

    def close_with(self, close: Callable[[], Awaitable[None]]) -> None:
        """Registers a closing function that runs before the database closes."""
        self._beside.append(close)

    async def close(self) -> None:
        """Finishes the pending work and closes every connection and thread."""
        for close in self._beside:
            await close()
        await self._reads.close()
        await self._writes.close()
        self._writer.shutdown()
        self._readers.shutdown()
        self._write_engine.dispose()
        self._read_engine.dispose()


class _Lane:
    """A queue of work: everything that waits is one group, and the next group gathers meanwhile.
    ``done`` returns the result of each piece of a group, or its exception.
    """

    def __init__(self, done: Callable[[list[_Piece]], Awaitable[list[Any]]]) -> None:
        self._done = done
        self._pending: deque[tuple[_Piece, asyncio.Future[Any]]] = deque()
        self._draining: asyncio.Task[None] | None = None
        self._closed = False

    async def queued(self, piece: _Piece) -> Any:
        if self._closed:
            raise RuntimeError("the database is closed")
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending.append((piece, future))
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain(), name="store-lane")
        return await future

    async def close(self) -> None:
        """Accepts no more work and finishes what is pending."""
        self._closed = True
        if self._draining is not None:
            await self._draining

    async def _drain(self) -> None:
        while self._pending:
            group = [self._pending.popleft() for _ in range(min(_GROUP, len(self._pending)))]
            results = await self._done([piece for piece, _ in group])
            for (_, future), result in zip(group, results, strict=True):
                if future.cancelled():
                    continue
                if isinstance(result, BaseException):
                    future.set_exception(result)
                else:
                    future.set_result(result)
        self._draining = None


async def _in_thread(
    threads: ThreadPoolExecutor, engine: sa.Engine, group: list[_Piece]
) -> list[Any]:
    return await asyncio.get_running_loop().run_in_executor(threads, _commit, engine, group)


def _commit(engine: sa.Engine, group: list[_Piece]) -> list[Any]:
    """Returns the result of each piece of work, or its exception, once all that succeeded is
    durable.
    """
    try:
        return _transaction(engine, lambda conn: _run(conn, group))
    except StoreAway as err:  # each alone would wait for it again
        return [err] * len(group)
    except Exception as err:  # noqa: BLE001 (handed to whoever gave the work)
        if len(group) == 1:
            return [err]
    return [result for piece in group for result in _commit(engine, [piece])]


def _run(conn: sa.Connection, group: list[_Piece]) -> list[Any]:
    results: list[Any] = []
    for together, pieces in groupby(group, key=itemgetter(0)):
        items = [item for _, item in pieces]
        results += together(conn, items) or [None] * len(items)
    return results


def _each(conn: sa.Connection, works: list[Work[Any]]) -> list[Any]:
    return [work(conn) for work in works]


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


def _why_away(error: sa.exc.DBAPIError) -> str:
    """Explains why the database is unavailable; "" where the statement is to blame."""
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


def insert_new(conn: sa.Connection, table: sa.Table, *unique: str) -> sa.Insert:
    """Builds an insert that leaves a row alone when its ``unique`` columns are taken; ``RETURNING``
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


def put(conn: sa.Connection, statement: sa.Insert | sa.Update, rows: list[dict[str, Any]]) -> int:
    """Runs a statement once for each row and counts the changed rows.

    A single row takes the plain way, which PostgreSQL's driver does faster.
    """
    if not rows:
        return 0
    return conn.execute(statement, rows[0] if len(rows) == 1 else rows).rowcount


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
    PostgreSQL, where that would be two more round trips. ``pooled`` says that connections are lent
    for a transaction, ``lock_ms`` how long one waits for others on PostgreSQL.
    """
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(
            url, pool_size=size, max_overflow=0, json_serializer=dump, json_deserializer=_load
        )
        # one statement for many rows: a statement a row gives the interpreter's lock away each time
        engine.dialect.use_insertmanyvalues_wo_returning = True
        _sqlite_rules(engine, begin, foreign_keys)
        if url.database:
            _require_same_file(engine, Path(url.database))
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
    set_rules(engine, lock_ms, pooled=pooled, reads=reads)
    return engine


def _load(text: str) -> Any:
    return msgspec.json.decode(text)


def _sqlite_rules(engine: sa.Engine, begin: str, foreign_keys: bool) -> None:
    def connected(connection: SqliteConnection, _: object) -> None:
        connection.isolation_level = None  # the driver begins nothing by itself
        connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")

    def begun(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    sa.event.listen(engine, "connect", connected)
    sa.event.listen(engine, "begin", begun)


def _require_same_file(engine: sa.Engine, file: Path) -> None:
    """Raises ``StoreAway`` when a transaction begins and another file stands in the place of the
    open one, because nobody would see what is written into the old file.
    """

    def which() -> tuple[int, int]:
        with suppress(OSError):
            stat = file.stat()
            return stat.st_dev, stat.st_ino
        return 0, 0

    def connected(_: SqliteConnection, record: sa.pool.ConnectionPoolEntry) -> None:
        record.info["file"] = which()

    def begun(connection: sa.Connection) -> None:
        if connection.info["file"] != which():
            raise StoreAway(
                "The database can't be used now (another file stands in its place, or none: start "
                "the bot again)."
            )

    sa.event.listen(engine, "connect", connected)
    sa.event.listen(engine, "begin", begun)


def _write_ahead(connection: SqliteConnection) -> None:
    """Turns the write-ahead log on; SQLite does not wait for another process that is making the
    same change, whatever the busy timeout.
    """
    end = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except SqliteError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return
