"""Reads the order of locks in everything that the product sends to PostgreSQL in a test's process:
``storage.database`` has the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from storage.database.servers import WRITER

_FIRST = f"SELECT pg_advisory_xact_lock({WRITER})"
_LOCKS = re.compile(
    r"pg_(try_)?advisory|\bFOR (NO KEY )?(UPDATE|SHARE)\b|\bLOCK TABLE\b", re.IGNORECASE
)
_CHANGES = re.compile(r"\s*(WITH|INSERT|UPDATE|DELETE|TRUNCATE|ALTER)\b", re.IGNORECASE)
_HEARTBEAT = re.compile(
    r"UPDATE debate SET beat_at=[^,]+ WHERE debate\.id = [^,]+ AND debate\.epoch = "
)


class Statements:
    """``faults`` are the statements that break the rule, ``writes`` the number of transactions that
    took the lock.
    """

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.writes = 0
        self._begun = f"begun {id(self)}"  # a note at the connection: nothing was sent yet

    def began(self, conn: sa.Connection) -> None:
        conn.info[self._begun] = True

    def sent(self, conn: sa.Connection, _cursor: object, statement: str, *_: Any) -> None:
        driver: Any = conn.connection.driver_connection
        if conn.dialect.name != "postgresql":
            return
        if driver.autocommit:  # each statement is a transaction
            changes = _CHANGES.match(statement) and "RECURSIVE" not in statement
            if _LOCKS.search(statement) or (changes and not _HEARTBEAT.match(statement)):
                self.faults.append(f"without a transaction: {statement}")
        elif statement == _FIRST and conn.info.pop(self._begun, False):
            self.writes += 1
        elif statement.startswith("SET LOCAL "):
            pass
        elif conn.info.pop(self._begun, False):
            self.faults.append(f"before the lock: {statement}")
        elif _LOCKS.search(statement):
            self.faults.append(f"one more lock: {statement}")


@contextmanager
def recorded() -> Iterator[Statements]:
    """Records the statements of every engine while it is open."""
    statements = Statements()
    sa.event.listen(sa.Engine, "begin", statements.began)
    sa.event.listen(sa.Engine, "before_cursor_execute", statements.sent)
    try:
        yield statements
    finally:
        sa.event.remove(sa.Engine, "begin", statements.began)
        sa.event.remove(sa.Engine, "before_cursor_execute", statements.sent)
