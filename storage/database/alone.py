"""Lets one process at a time, over all replicas, count something before it adds one more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from core.debate.errors import CouldNotFinish, StoreAway
from storage.database import Database

if TYPE_CHECKING:
    from psycopg import AsyncConnection

QUOTAS = 0x71756F74  # any number that nobody else locks on PostgreSQL
_WAIT_MS = 30_000


class Alone:
    """The exclusive right to do ``what``. On PostgreSQL it is a lock of one connection, which is
    made when it is first needed and held until the database is closed: it ends with the process. On
    SQLite there is only one bot.
    """

    def __init__(self, database: Database, what: int) -> None:
        self._db, self._what = database, what
        self._one_by_one = asyncio.Lock()
        self._kept: AsyncConnection | None = None
        database.close_with(self._close)

    @asynccontextmanager
    async def within(self) -> AsyncIterator[None]:
        """Enters the lock. Raises ``CouldNotFinish``."""
        async with self._one_by_one:
            if self._db.sqlite:
                yield
                return
            await self._lock()
            try:
                yield
            finally:
                await self._unlock()

    async def _lock(self) -> None:
        """Takes the lock, with a second try, because an idle connection may have broken."""
        import psycopg

        for last in (self._kept is None, True):
            try:
                if self._kept is None:
                    self._kept = await self._connected()
                await self._kept.execute("SELECT pg_advisory_lock(%s)", (self._what,))
            except psycopg.errors.LockNotAvailable as error:
                raise CouldNotFinish(
                    "Too many requests at once. Try it again in a moment."
                ) from error
            except psycopg.OperationalError as error:
                await self._close()
                if last:
                    raise StoreAway("The database does not answer.") from error
            except BaseException:  # told to stop while it waited: the lock may come all the same
                await self._close()
                raise
            else:
                return

    async def _unlock(self) -> None:
        import psycopg

        if self._kept is None:
            return
        try:
            await self._kept.execute("SELECT pg_advisory_unlock(%s)", (self._what,))
        except psycopg.Error:  # the lock went with the connection
            await self._close()
        except BaseException:
            await self._close()
            raise

    async def _connected(self) -> AsyncConnection:
        import psycopg

        conn = await psycopg.AsyncConnection.connect(self._db.session_address, autocommit=True)
        await conn.execute(f"SET lock_timeout = {_WAIT_MS}".encode())
        return conn

    async def _close(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            await kept.close()
