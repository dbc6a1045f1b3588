"""Stores which bots run on a database, and where each answers HTTP, for a shell beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from storage.database import Database, upsert
from storage.sealing import key_id
from storage.tables import RUNNING_BOT


@dataclass(frozen=True, slots=True)
class RunningBot:
    """A running bot: ``owner`` names its process, ``address`` is where it answers HTTP."""

    owner: str
    address: str


class RunningBots:
    """The bots of one database, seen from the process ``owner``, which opens sealed data with
    ``keys``.
    """

    def __init__(self, database: Database, owner: str, keys: Sequence[str] = ()) -> None:
        self._db, self._owner, self._keys = database, owner, keys

    async def begin(self, address: str) -> None:
        """Records this bot. A SQLite file has one bot at a time, so the entry of another is old."""
        opens = [key_id(key) for key in self._keys]
        row = {
            "owner": self._owner, "address": address, "since": self._db.now(), "opens": opens
        }  # fmt: skip
        alone = self._db.sqlite

        def work(conn: sa.Connection) -> None:
            if alone:
                conn.execute(sa.delete(RUNNING_BOT))
            conn.execute(upsert(conn, RUNNING_BOT), row)

        await self._db.write(work)

    async def end(self) -> None:
        gone = sa.delete(RUNNING_BOT).where(RUNNING_BOT.c.owner == self._owner)
        await self._db.write(lambda conn: conn.execute(gone).rowcount)

    async def load(self) -> list[RunningBot]:
        """Returns the bots, the last started first. A killed one may still be among them."""
        query = sa.select(RUNNING_BOT).order_by(RUNNING_BOT.c.since.desc())
        rows = await self._db.read(lambda conn: conn.execute(query).all())
        return [RunningBot(row.owner, row.address) for row in rows]

    async def without(self, key: str) -> list[RunningBot]:
        """Returns the bots that did not state at their start that they open data sealed with
        ``key``.
        """
        query = sa.select(RUNNING_BOT).order_by(RUNNING_BOT.c.since.desc())
        rows = await self._db.read(lambda conn: conn.execute(query).all())
        id = key_id(key)
        return [RunningBot(row.owner, row.address) for row in rows if id not in row.opens]
