"""Decides which row of the outbox is sent next, and by which process.

One row of a thread (debate and place) is sent at a time, the oldest first; the emojis of posts are
rows beside that line. A channel's pace is stored here, because it holds over all replicas: a claim
takes the channel's slot or leaves the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from storage.database import inserted
from storage.leases import Lease
from storage.tables import OUTBOX, SLOT

_STATES: sa.BindParameter[Any] = sa.bindparam(
    "open", ("pending", "sending"), expanding=True, literal_execute=True
)
OPEN = OUTBOX.c.state.in_(_STATES)
UNCERTAIN = OUTBOX.c.state == sa.bindparam("uncertain", "uncertain", literal_execute=True)
"""The condition for open rows, written exactly as in their indexes: only then does the database use
these.
"""
REACTIONS = ("seed", "seed_later")
"""The operations that put emojis on a message."""
PRIVATE = "private"
"""The operation that tells one person, outside every thread."""
REACTIONS_AT_ONCE = 8
"""The most emoji rows that one process holds: few enough to be sent within their claim where a
platform is slow.
"""
LEASE = timedelta(seconds=60)
FARTHEST = timedelta(hours=1)
"""Nothing but a webhook is put off for longer. What waits for a later moment was put off by a clock
that was ahead, and is due: else it would wait for as long as the clock was set back.
"""
WEBHOOK = "hook"
"""The operation of messages to webhooks."""
_REACTS = OUTBOX.c.op.in_(REACTIONS)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A claimed row. ``attempt`` counts from 1; ``unconfirmed`` says that an earlier attempt may
    have arrived; ``done`` are the ids of parts that have.
    """

    id: int
    debate: str
    place: str
    key: str
    op: str
    target: str
    body: Mapping[str, Any]
    owner: str
    attempt: int
    first_attempt_at: datetime
    unconfirmed: bool
    done: tuple[str, ...]

    @property
    def row(self) -> int:
        return self.id


@dataclass(frozen=True, slots=True)
class Share:
    """The share of a process's rows that one place may take: ``most``, less those that it ``has``
    in hand.
    """

    most: int
    has: Mapping[str, int]

    @property
    def full(self) -> list[str]:
        """The places that may take nothing more now."""
        return [place for place, count in self.has.items() if count >= self.most]


def is_any_due(
    conn: sa.Connection,
    now: datetime,
    pace: Mapping[str, float] | None,
    reactions: int,
    share: Share | None = None,
) -> bool:
    """Says whether a claim would return anything; it is asked first, because it waits for no
    writer.
    """
    due = _posts(now, pace, share)
    if reactions > 0:
        due = sa.or_(due, sa.and_(_due(now, pace), _REACTS))
    # said once more above the OR, where the database sees that the index of open posts holds all
    first = sa.select(OUTBOX.c.id).where(OPEN, due).limit(1)
    return conn.execute(first).scalar() is not None


def take_due(
    conn: sa.Connection,
    owner: str,
    now: datetime,
    lease: Lease,
    limit: int,
    pace: Mapping[str, float] | None,
    reactions: int,
    share: Share | None = None,
) -> list[Delivery]:
    """Claims, within a transaction, the rows that may be sent now: posts in order of age before
    emojis.
    """
    heads_of_threads = (
        sa.select(sa.func.min(OUTBOX.c.id))
        .where(OPEN, ~_REACTS)
        .group_by(OUTBOX.c.debate_id, OUTBOX.c.place)
    )
    ready = sa.select(OUTBOX).with_for_update(skip_locked=True).order_by(OUTBOX.c.id)
    heads = ready.where(
        _posts(now, pace, share), OUTBOX.c.id.in_(heads_of_threads.scalar_subquery())
    ).limit(limit)
    emojis = (
        sa.select(OUTBOX)
        .with_for_update(skip_locked=True)
        .where(_due(now, pace), _REACTS)
        .order_by(OUTBOX.c.op, OUTBOX.c.id)
        .limit(max(0, reactions))
    )
    rows = [
        row
        for row in _by_place(_shared(conn.execute(heads).all(), share))
        if _slot_taken(conn, row.place, now, pace or {})
    ]
    rows = [*sorted(rows, key=lambda row: int(row.id)), *conn.execute(emojis).all()]
    began = OUTBOX.c.first_attempt_at
    first = sa.func.coalesce(began, sa.literal(now, began.type))
    lease.take(conn, rows, owner, now, state="sending", first_attempt_at=first)
    return [_delivery(row, owner, now) for row in rows]


def block_slot(conn: sa.Connection, place: str, until: datetime) -> None:
    """Sets, within a transaction, the earliest time of the channel's next post."""
    if not inserted(conn, SLOT, {"place": place, "free_at": until}, "place"):
        conn.execute(
            sa.update(SLOT)
            .where(SLOT.c.place == place, SLOT.c.free_at < until)
            .values(free_at=until)
        )


def _shared(rows: Sequence[sa.Row[Any]], share: Share | None) -> list[sa.Row[Any]]:
    """Returns the first rows of each place, as many as one place may have."""
    if share is None:
        return list(rows)
    taken = dict(share.has)
    kept = []
    for row in rows:
        taken[row.place] = taken.get(row.place, 0) + 1
        if taken[row.place] <= share.most:
            kept.append(row)
    return kept


def _posts(
    now: datetime, pace: Mapping[str, float] | None, share: Share | None
) -> sa.ColumnElement[bool]:
    """Returns due rows that are no emojis, in channels that may have their next post."""
    due = sa.and_(_due(now, pace), ~_REACTS)
    if share is not None and (full := share.full):
        due = sa.and_(due, OUTBOX.c.place.not_in(full))
    if pace is None:
        return due
    taken = sa.exists().where(
        SLOT.c.place == OUTBOX.c.place, SLOT.c.free_at > now, SLOT.c.free_at <= now + FARTHEST
    )
    return sa.and_(due, ~taken)


def _due(now: datetime, pace: Mapping[str, float] | None) -> sa.ColumnElement[bool]:
    """Selects open rows whose time has come, of the claimed platforms."""
    put_off = sa.and_(
        OUTBOX.c.next_at > now,
        sa.or_(OUTBOX.c.next_at <= now + FARTHEST, OUTBOX.c.op == WEBHOOK),
    )
    due = sa.and_(OPEN, ~put_off)
    if pace is None:
        return due
    return sa.and_(
        due,
        sa.or_(*(OUTBOX.c.place.startswith(f"{platform}:", autoescape=True) for platform in pace)),
    )


def _by_place(rows: Sequence[sa.Row[Any]]) -> list[sa.Row[Any]]:
    """Takes slots in one order everywhere, so that two claims never deadlock."""
    return sorted(rows, key=lambda row: (str(row.place), int(row.id)))


def _slot_taken(conn: sa.Connection, place: str, now: datetime, pace: Mapping[str, float]) -> bool:
    """Takes the channel's slot for the length of its pace, and says whether it was free."""
    seconds = pace.get(place.partition(":")[0], 0.0)
    if not seconds:
        return True
    until = now + timedelta(seconds=seconds)
    if inserted(conn, SLOT, {"place": place, "free_at": until}, "place"):
        return True
    return bool(
        conn.execute(
            sa.update(SLOT)
            .where(
                SLOT.c.place == place,
                sa.or_(SLOT.c.free_at <= now, SLOT.c.free_at > now + FARTHEST),
            )
            .values(free_at=until)
        ).rowcount
    )


def _delivery(row: sa.Row[Any], owner: str, now: datetime) -> Delivery:
    """Returns a row as it was before the owner claimed it."""
    return Delivery(
        id=row.id,
        debate=row.debate_id,
        place=row.place,
        key=row.key,
        op=row.op,
        target=row.target,
        body=row.body,
        owner=owner,
        attempt=row.attempts + 1,
        first_attempt_at=min(row.first_attempt_at or now, now),
        unconfirmed=row.state == "sending",
        done=tuple(row.done),
    )
