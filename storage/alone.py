"""One process at a time, over all replicas: for what is counted before one more is added."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.errors import CouldNotFinish
from storage.database import Database

QUOTAS = 0x71756F74  # any number that nobody else locks on PostgreSQL
_WAIT_MS = 30_000


@asynccontextmanager
async def alone(database: Database, what: int) -> AsyncIterator[None]:
    """Nobody else is within. On SQLite there is only one bot, which sees to it by itself.

    The lock is its connection's, so it ends with the process. Raises ``CouldNotFinish``.
    """
    if database.sqlite:
        yield
        return
    import psycopg

    address = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    options = f"-c lock_timeout={_WAIT_MS}"
    async with await psycopg.AsyncConnection.connect(address, options=options) as conn:
        try:
            await conn.execute("SELECT pg_advisory_xact_lock(%s)", (what,))
        except psycopg.errors.LockNotAvailable as error:
            raise CouldNotFinish("Too much is asked at once. Try it again in a moment.") from error
        yield
