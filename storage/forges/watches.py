"""Stores the progress of polling repositories."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from storage.database import Database, inserted, upsert
from storage.tables import WATCH


class Watches:
    """The polled repositories of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def load(self, host: str, repository: str) -> tuple[Mapping[str, str], Mapping[str, Any]]:
        """Returns the tags that make repeated requests cheap, and the known revisions."""
        query = sa.select(WATCH).where(
            WATCH.c.host == host, WATCH.c.repository == repository.lower()
        )
        row = await self._db.one(query)
        return (row.tags, row.seen) if row is not None else ({}, {})

    async def take(self, host: str, repository: str, every: timedelta) -> bool:
        """True if this replica polls now: only one replica does, once in ``every``."""
        now = self._db.now()
        row = {"host": host, "repository": repository.lower(), "tags": {}, "seen": {}, "at": now}
        again = (
            sa.update(WATCH)
            .where(WATCH.c.host == host, WATCH.c.repository == repository.lower())
            .where(sa.or_(WATCH.c.at <= now - every, WATCH.c.at > now))  # a clock was set back
            .values(at=now)
        )

        def work(conn: sa.Connection) -> bool:
            fresh = inserted(conn, WATCH, row, "host", "repository")
            return fresh or bool(conn.execute(again).rowcount)

        return await self._db.write(work)

    async def keep(
        self, host: str, repository: str, tags: Mapping[str, str], seen: Mapping[str, Any]
    ) -> None:
        row = {
            "host": host, "repository": repository.lower(), "tags": dict(tags),
            "seen": dict(seen), "at": self._db.now(),
        }  # fmt: skip
        await self._db.write(lambda conn: conn.execute(upsert(conn, WATCH), row).rowcount)
