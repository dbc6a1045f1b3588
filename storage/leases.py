"""Work that waits in a table, done by one process at a time and gone on with after a crash.

A claim is a lease: it counts the row's attempt and names its holder until ``next_at``. Whoever has
several rows in hand renews each before it begins with it, and every change fails softly when the
claim was lost meanwhile, so that a process that slept through its lease does no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

import sqlalchemy as sa

LONGEST_WAIT = 900.0
"""Seconds between two tries at most, unless the other side asks for more."""


class Claim(Protocol):
    """A row in somebody's hand; ``attempt`` counts from 1."""

    @property
    def key(self) -> str: ...
    @property
    def owner(self) -> str: ...
    @property
    def attempt(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Lease:
    """How long a claim on a row of ``table`` holds unrenewed, and in which states a row is open.

    The table has the columns key, state, claimed_by, attempts, at, next_at and reason.
    """

    table: sa.Table
    length: timedelta
    open: tuple[str, ...] = ("pending",)

    def due(self, now: datetime, limit: int, *conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
        """The oldest rows that nobody has in hand."""
        columns = self.table.c
        return (
            sa.select(self.table)
            .where(columns.state.in_(self.open), columns.next_at <= now, *conditions)
            .order_by(columns.at, columns.key)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )

    def claim(
        self,
        conn: sa.Connection,
        owner: str,
        now: datetime,
        limit: int,
        *conditions: sa.ColumnElement[bool],
        **values: Any,
    ) -> Sequence[sa.Row[Any]]:
        """Within a transaction: the oldest rows become the owner's, with ``values`` set.

        They are returned as they were before: the attempt is one more than its row says.
        """
        rows = conn.execute(self.due(now, limit, *conditions)).all()
        keys = [row.key for row in rows]
        taken = sa.update(self.table).where(self.table.c.key.in_(keys))
        attempts = self.table.c.attempts + 1
        until = now + self.length
        conn.execute(taken.values(claimed_by=owner, attempts=attempts, next_at=until, **values))
        return rows

    def renew(self, conn: sa.Connection, claim: Claim, now: datetime) -> bool:
        """The claim holds for its whole length again; False where it was lost."""
        return self._change(conn, claim, next_at=now + self.length)

    def settle(self, conn: sa.Connection, claim: Claim, **values: Any) -> bool:
        """Changes the row and lets go of it; False, and no change, where the claim was lost."""
        return self._change(conn, claim, claimed_by="", **values)

    def _change(self, conn: sa.Connection, claim: Claim, **values: Any) -> bool:
        columns = self.table.c
        mine = sa.update(self.table).where(
            columns.key == claim.key,
            columns.claimed_by == claim.owner,
            columns.attempts == claim.attempt,
            columns.state.in_(self.open),
        )
        return bool(conn.execute(mine.values(**values)).rowcount)


def wait_before(attempt: int, tries: int, at_least: float = 0.0) -> float | None:
    """Seconds until the try after this one, longer each time; None where it was the last."""
    if attempt >= tries:
        return None
    return max(at_least, min(LONGEST_WAIT, 2.0**attempt))
