"""An aiosqlite connection that runs each statement in one call of its thread.

SQLAlchemy makes a cursor, runs it, fetches its rows and closes it: four calls, which cost more than
a small statement. A transaction begins in the call of its first statement.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

import aiosqlite

_Run = Callable[[sqlite3.Cursor, str, Any], sqlite3.Cursor]


class OneCall(aiosqlite.Connection):
    """A connection, not yet open, for ``sqlite3.connect`` with these arguments. ``begin`` is what
    begins a transaction before the next statement, "" if that is done.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(lambda: sqlite3.connect(*args, **kwargs), 0)
        self._thread.daemon = True  # as SQLAlchemy sets it
        self.begin = ""

    def cursor(self) -> _Cursor:  # type: ignore[override]
        return _Cursor(self)

    async def commit(self) -> None:
        begin, self.begin = self.begin, ""
        if not begin:  # else nothing was done
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
