"""A read of SQLite sees one snapshot; one of a single statement pays for no transaction."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from storage.database import Database
from storage.tables import DEBATE
from tests.storage.conftest import ON_SQLITE

COUNT = sa.select(sa.func.count()).select_from(DEBATE)


def looked(conn: sa.Connection) -> tuple[int, bool]:
    """Returns the number of debates, and whether a transaction is open after the look."""
    driver: Any = conn.connection.driver_connection
    return conn.execute(COUNT).scalar_one(), driver.in_transaction


@ON_SQLITE
async def test_only_a_read_of_several_statements_begins_a_transaction(db: Database) -> None:
    assert await db.query(looked) == (0, False)
    assert await db.read(looked) == (0, True)
    assert await db.write(looked) == (0, True)
    assert await db.query(looked) == (0, False)
