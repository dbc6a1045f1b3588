"""Leases on rows of a table: work done by one process at a time and resumed after a crash.

A claim is a lease: it counts the row's attempt and names its holder until ``next_at``. A process
that holds several rows renews each before it begins with it, and every change returns False when
the claim was lost meanwhile, so that a process that slept through its lease does no harm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any, Protocol

import sqlalchemy as sa

from storage.database.clock import SERVER_TIME, Instant
from storage.tables import Moment

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

    def due(
        self,
        conn: sa.Connection,
        now: Instant,
        limit: int,
        *conditions: sa.ColumnElement[bool],
        **given: Any,
    ) -> Sequence[sa.Row[Any]]:
        """Returns the oldest rows that no process holds, by their columns at and key. ``given`` are
        the parameters of the conditions.
        """
        given["most"] = limit
        by_server = not isinstance(now, datetime)
        if isinstance(now, datetime):
            given |= {"present": now, "far": now + FARTHEST}
        return conn.execute(_due(self.table, conditions, by_server), given).all()

    def claim(
        self,
        conn: sa.Connection,
        owner: str,
        now: Instant,
        limit: int,
        *conditions: sa.ColumnElement[bool],
        **given: Any,
    ) -> Sequence[sa.Row[Any]]:
        """Claims, within a transaction, the oldest rows for the owner, and returns them as they
        were before.
        """
        rows = self.due(conn, now, limit, *conditions, **given)
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
        ids = {"ids": [getattr(row, self.by) for row in rows]}
        claim = {"state": RowState.SENDING, "claimed_by": owner, "next_at": now + self.length}
        _set(conn, _taken(self.table, self.by), ids, claim | values)

    def renew(self, conn: sa.Connection, claim: ClaimedRow, now: Instant) -> bool:
        """Renews the claim for its whole length; False if it was lost."""
        return self.change(conn, claim, next_at=now + self.length)

    def settle(self, conn: sa.Connection, claim: ClaimedRow, **values: Any) -> bool:
        """Changes the row and releases it; False, and no change, if the claim was lost."""
        return self.change(conn, claim, claimed_by="", **values)

    def change(self, conn: sa.Connection, claim: ClaimedRow, **values: Any) -> bool:
        """Changes the row and keeps the claim; False, and no change, if the claim was lost."""
        mine = {"row": claim.row, "owner": claim.owner, "attempt": claim.attempt}
        return bool(_set(conn, _held(self.table, self.by), mine, values))


@cache  # building a statement costs more than running it
def _due(
    table: sa.Table, conditions: tuple[sa.ColumnElement[bool], ...], by_server: bool
) -> sa.Select[Any]:
    present: sa.ColumnElement[datetime] = sa.bindparam("present", type_=Moment())
    far: sa.ColumnElement[datetime] = sa.bindparam("far", type_=Moment())
    if by_server:
        present, far = SERVER_TIME, SERVER_TIME + FARTHEST
    is_over = sa.or_(table.c.next_at <= present, table.c.next_at > far)
    return (
        sa.select(table)
        .where(table.c.state.in_(OPEN), is_over, *conditions)
        .order_by(table.c.at, table.c.key)
        .limit(sa.bindparam("most", type_=sa.Integer()))
    )


@cache
def _taken(table: sa.Table, by: str) -> sa.Update:
    these = table.c[by].in_(sa.bindparam("ids", expanding=True))
    return sa.update(table).where(these).values(attempts=table.c.attempts + 1)


@cache
def _held(table: sa.Table, by: str) -> sa.Update:
    return sa.update(table).where(
        table.c[by] == sa.bindparam("row"),
        table.c.claimed_by == sa.bindparam("owner"),
        table.c.attempts == sa.bindparam("attempt"),
        table.c.state == RowState.SENDING,
    )


def _set(
    conn: sa.Connection, update: sa.Update, which: Mapping[str, Any], values: Mapping[str, Any]
) -> int:
    """Sets values in these rows, and counts them. What the database has to work out is a part of
    the statement, and everything else a parameter.
    """
    worked_out = {n: value for n, value in values.items() if isinstance(value, sa.ColumnElement)}
    if worked_out:
        update = update.values(worked_out)
    given = {n: value for n, value in values.items() if n not in worked_out}
    return int(conn.execute(update, {**which, **given}).rowcount)


def later(now: Instant, seconds: float, farthest: timedelta = FARTHEST) -> Instant:
    """Returns the time ``seconds`` from ``now``, at most the longest wait that is allowed."""
    return now + min(timedelta(seconds=seconds), farthest)
