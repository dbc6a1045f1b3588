"""Sends messages between replicas that may be lost: which debate is watched, and which words are
being streamed.

PostgreSQL carries them (LISTEN, NOTIFY) and stores nothing. With SQLite there is only one process,
so nothing is sent. A reader that must not miss a message reads the store as well.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import msgspec
import sqlalchemy as sa

from storage.database import Database
from storage.database.listening import end, keep_listening

CHANNEL = "room"
LARGEST = 7_800
"""The most bytes of one message; PostgreSQL takes less than 8,000."""
_NOTIFY = sa.text("SELECT pg_notify(:channel, :message)")
_log = logging.getLogger(__name__)

Heard = Callable[[Mapping[str, Any]], None]
"""Called in the event loop with a message of another process."""


class Broadcast:
    """The messages of one database; as an ``async with`` block it listens while it is open.
    ``owner`` names this process, which does not receive its own messages.
    """

    def __init__(self, database: Database, owner: str, heard: Heard) -> None:
        self._db, self._owner, self._heard = database, owner, heard
        self._listening: asyncio.Task[None] | None = None

    @property
    def reaches_others(self) -> bool:
        return not self._db.sqlite

    async def __aenter__(self) -> Self:
        if self.reaches_others:
            self._listening = asyncio.create_task(
                keep_listening(self._listen, "broadcast", "to other replicas"), name="broadcast"
            )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._listening is not None:
            await end(self._listening)

    async def send(self, message: Mapping[str, Any]) -> None:
        """Sends to every other process; a message that is too large or can't be sent is lost, and
        logged.
        """
        text = msgspec.json.encode({**message, "from": self._owner})
        if not self.reaches_others or len(text) > LARGEST:
            return
        values = {"channel": CHANNEL, "message": text.decode()}
        try:
            await self._db.write_apart(lambda conn: conn.execute(_NOTIFY, values).rowcount)
        except Exception:  # noqa: BLE001 (a database that is away: messages sent meanwhile are lost)
            _log.exception("a message to other replicas is lost", extra={"action": "broadcast"})

    async def _listen(self) -> None:
        import psycopg

        address = self._db.session_address
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as conn:
            await conn.execute(f"LISTEN {CHANNEL}".encode())
            async for note in conn.notifies():
                message = msgspec.json.decode(note.payload)
                if message.get("from") != self._owner:
                    self._heard(message)
