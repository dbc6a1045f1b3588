"""Stores which bots run on a database, with the address at which each answers HTTP, for a shell on
the same database. The ``owner`` of a bot names its process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from storage.database import Database, upsert
from storage.sealing import key_id
from storage.tables import RUNNING_BOT


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
        await self._db.change(gone)

    async def load(self) -> dict[str, str]:
        """Returns the addresses of the bots by their owners, the last started first. A killed one
        may still be among them.
        """
        return {row.owner: row.address for row in await self._rows()}

    async def without(self, key: str) -> list[str]:
        """Returns the owners of the bots that did not state at their start that they open data
        sealed with ``key``.
        """
        id = key_id(key)
        return [row.owner for row in await self._rows() if id not in row.opens]

    async def _rows(self) -> Sequence[sa.Row[Any]]:
        return await self._db.rows(sa.select(RUNNING_BOT).order_by(RUNNING_BOT.c.since.desc()))
