"""Leases on rows of a table: work done by one process at a time and resumed after a crash.

A claim is a lease: it counts the row's attempt and names its holder until ``next_at``. A process
that holds several rows renews each before it begins with it, and every change returns False when
the claim was lost meanwhile, so that a process that slept through its lease does no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cache
from typing import Any, Protocol

import sqlalchemy as sa

from storage.database.clock import Instant

FARTHEST = timedelta(hours=1)
"""The longest wait, whatever the other side asks for. What waits for a later moment was put off by
a clock that was wrong, and is due.
"""


class RowState(StrEnum):
    """The states of rows that are worked off under a lease; their words are stored."""

    PENDING = "pending"
    SENDING = "sending"  # an earlier try may have arrived
    SENT = "sent"
    DONE = "done"
    DEAD = "dead"  # given up
    UNCERTAIN = "uncertain"  # it may have arrived, and a person decides


OPEN = (RowState.PENDING, RowState.SENDING)


class ClaimedRow(Protocol):
    """A claimed row: ``row`` identifies it; ``attempt`` counts from 1."""

    @property
    def row(self) -> str | int: ...
    @property
    def owner(self) -> str: ...
    @property
    def attempt(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Lease:
    """The lease on open rows of ``table``, which ``by`` identifies; ``length`` is how long a claim
    lasts without renewal.

    The table has the columns state, claimed_by, attempts and next_at. A claimed row is ``sending``.
    """

    table: sa.Table
    length: timedelta
    by: str = "key"

    def due(self, now: Instant, limit: int, *conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
        """Selects the oldest rows that no process holds, by their columns at and key."""
        columns = self.table.c
        waited = sa.or_(columns.next_at <= now, columns.next_at > now + FARTHEST)
        return (
            sa.select(self.table)
            .where(columns.state.in_(OPEN), waited, *conditions)
            .order_by(columns.at, columns.key)
            .limit(limit)
        )

    def claim(
        self,
        conn: sa.Connection,
        owner: str,
        now: Instant,
        limit: int,
        *conditions: sa.ColumnElement[bool],
    ) -> Sequence[sa.Row[Any]]:
        """Claims, within a transaction, the oldest rows for the owner, and returns them as they
        were before.
        """
        rows = conn.execute(self.due(now, limit, *conditions)).all()
        self.take(conn, rows, owner, now)
        return rows

    def take(
        self,
        conn: sa.Connection,
        rows: Sequence[sa.Row[Any]],
        owner: str,
        now: Instant,
        **values: Any,
    ) -> None:
        """Claims these rows, which the transaction has read, for the owner."""
        if not rows:
            return
        ids = [getattr(row, self.by) for row in rows]
        taken = sa.update(self.table).where(self.table.c[self.by].in_(ids))
        attempts = self.table.c.attempts + 1
        until = now + self.length
        claim = {"state": RowState.SENDING, "claimed_by": owner, "attempts": attempts}
        conn.execute(taken.values(**claim, next_at=until, **values))

    def renew(self, conn: sa.Connection, claim: ClaimedRow, now: Instant) -> bool:
        """Renews the claim for its whole length; False if it was lost."""
        return self.change(conn, claim, next_at=now + self.length)

    def settle(self, conn: sa.Connection, claim: ClaimedRow, **values: Any) -> bool:
        """Changes the row and releases it; False, and no change, if the claim was lost."""
        return self.change(conn, claim, claimed_by="", **values)

    def change(self, conn: sa.Connection, claim: ClaimedRow, **values: Any) -> bool:
        """Changes the row and keeps the claim; False, and no change, if the claim was lost."""
        mine = {"of_row": claim.row, "of_owner": claim.owner, "of_attempt": claim.attempt}
        return bool(conn.execute(_change(self.table, self.by).values(**values), mine).rowcount)


@cache  # building a condition costs more than running it
def _change(table: sa.Table, by: str) -> sa.Update:
    columns = table.c
    return sa.update(table).where(
        columns[by] == sa.bindparam("of_row"),
        columns.claimed_by == sa.bindparam("of_owner"),
        columns.attempts == sa.bindparam("of_attempt"),
        columns.state == RowState.SENDING,
    )


def later(now: Instant, seconds: float, farthest: timedelta = FARTHEST) -> Instant:
    """Returns the time ``seconds`` from ``now``, at most the longest wait that is allowed."""
    return now + min(timedelta(seconds=seconds), farthest)
