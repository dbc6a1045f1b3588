"""Decides which row of the outbox is sent next, and by which process.

One post of a thread (debate and place) is sent at a time, the oldest first. Edits wait only for the
message that they change and for earlier edits of it, and emojis wait for nothing, so a verdict is
never held up by either. A channel's pace is stored here, because it holds over all replicas: a
claim takes the channel's slot or leaves the row. Platforms limit edits apart from posts, so edits
have a slot of their own.

The outbox is looked at after each delivery and again and again between them, and building these
statements takes many times longer than running them if nothing is due: each is built once for the
platforms that a process claims for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from core.debate.log import PostOp
from storage.database import insert_new
from storage.database.clock import SERVER_TIME, Instant
from storage.leases import FARTHEST, Lease, RowState, is_over
from storage.tables import OUTBOX, SLOT, Moment

_STATES: sa.BindParameter[Any] = sa.bindparam(
    "open", (RowState.PENDING, RowState.SENDING), expanding=True, literal_execute=True
)


def _open(rows: sa.FromClause) -> sa.ColumnElement[bool]:
    return rows.c.state.in_(_STATES)


OPEN = _open(OUTBOX)
UNCERTAIN = OUTBOX.c.state == sa.bindparam("uncertain", RowState.UNCERTAIN, literal_execute=True)
"""The condition for open rows, written exactly as in their indexes: only then does the database use
these.
"""
REACTIONS = (PostOp.REACT, PostOp.REACT_LATER)
"""The operations that put emojis on a message."""
REACTIONS_AT_ONCE = 8
"""The most emoji rows that one process holds: few enough to be sent within their claim where a
platform is slow.
"""
LEASE = timedelta(seconds=60)
FARTHEST_OF: Mapping[str, timedelta] = {PostOp.WEBHOOK: timedelta(hours=27)}
"""The longest wait by operation, if it is not ``FARTHEST``: the last wait of a webhook's message is
a day and a tenth at most.
"""
_REACTS = OUTBOX.c.op.in_(REACTIONS)
_EDITS = OUTBOX.c.op == PostOp.EDIT
_EDIT_SLOT = "#edits"
_NOW, _FAR = (sa.bindparam(name, type_=Moment()) for name in ("now", "far"))
_FULL: sa.BindParameter[Any] = sa.bindparam("full", expanding=True)
_MOST = sa.bindparam("most", type_=sa.Integer())


@dataclass(frozen=True, slots=True)
class Delivery:
    """A claimed row. ``attempt`` counts from 1; ``unconfirmed`` means that an earlier attempt may
    have arrived; ``done`` are the ids of parts that have. Both times are of one clock.
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
    claimed_at: datetime
    unconfirmed: bool
    done: tuple[str, ...]

    @property
    def row(self) -> int:
        return self.id


@dataclass(frozen=True, slots=True)
class PlaceShare:
    """The share of a process's rows that one place may take: ``most``, less those that it ``has``
    in hand.
    """

    most: int
    has: Mapping[str, int]

    @property
    def full(self) -> list[str]:
        """The places that may take nothing more now."""
        return [place for place, count in self.has.items() if count >= self.most]


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look at the outbox asks for: the rows of these platforms, or of all; whether they are
    due by the server's time or by a given one; whether channels have a pace, and places a share.
    """

    platforms: tuple[str, ...] | None
    by_server: bool
    paced: bool
    shared: bool

    @property
    def now(self) -> sa.ColumnElement[datetime]:
        return SERVER_TIME if self.by_server else _NOW

    @property
    def far(self) -> sa.ColumnElement[datetime]:
        """The moment after which nothing can wait."""
        return SERVER_TIME + FARTHEST if self.by_server else _FAR


def _look(
    now: Instant, pace: Mapping[str, float] | None, share: PlaceShare | None
) -> tuple[_Look, dict[str, Any]]:
    """Returns what is asked for, and the values of its statements."""
    platforms = None if pace is None else tuple(sorted(pace))
    look = _Look(platforms, not isinstance(now, datetime), pace is not None, share is not None)
    values: dict[str, Any] = {}
    if isinstance(now, datetime):
        values |= {"now": now, "far": now + FARTHEST}
    if share is not None:
        values["full"] = share.full
    return look, values


def is_any_due(
    conn: sa.Connection,
    now: Instant,
    pace: Mapping[str, float] | None,
    reactions: int,
    share: PlaceShare | None = None,
) -> bool:
    """True if a claim would return anything; it is asked first, because it waits for no writer."""
    look, values = _look(now, pace, share)
    due = [_any_post(look), _any_edit(look), *([_any_emoji(look)] if reactions > 0 else [])]
    return any(conn.execute(one, values).scalar() is not None for one in due)


def take_due(
    conn: sa.Connection,
    owner: str,
    now: Instant,
    lease: Lease,
    limit: int,
    pace: Mapping[str, float] | None,
    reactions: int,
    share: PlaceShare | None = None,
) -> list[Delivery]:
    """Claims, within a transaction, the rows that may be sent now: posts in order of age before
    emojis.
    """
    look, values = _look(now, pace, share)
    heads = [
        *conn.execute(_next_posts(look), {**values, "most": limit}).all(),
        *conn.execute(_next_edits(look), {**values, "most": limit}).all(),
    ]
    rows = [
        row
        for row in _shared(heads, share)
        if _slot_taken(conn, slot_of(row.place, row.op), now, pace or {})
    ]
    reacting: Sequence[sa.Row[Any]] = []
    if reactions > 0:
        reacting = conn.execute(_next_emojis(look), {**values, "most": reactions}).all()
    rows = [*sorted(rows, key=lambda row: (row.op == PostOp.EDIT, int(row.id))), *reacting]
    present = sa.literal(now, Moment()) if isinstance(now, datetime) else now
    began = OUTBOX.c.first_attempt_at
    first = sa.case((began <= present, began), else_=present)  # a clock may have been ahead
    lease.take(conn, rows, owner, now, first_attempt_at=first)
    return [_delivery(row, owner) for row in rows]


def put_off_followers(conn: sa.Connection, delivery: Delivery, until: Instant) -> None:
    """Puts off, within a transaction, the posts that wait for this one in its thread, so that no
    claim looks at them before it is due.
    """
    conn.execute(
        sa.update(OUTBOX)
        .where(
            OPEN,
            OUTBOX.c.debate_id == delivery.debate,
            OUTBOX.c.place == delivery.place,
            OUTBOX.c.id > delivery.id,
            OUTBOX.c.next_at < until,
            ~_REACTS,
            ~_EDITS,
        )
        .values(next_at=until)
    )


def slot_of(place: str, op: str) -> str:
    """Return the slot that a row takes in its channel: posts have one, edits another."""
    return f"{place}{_EDIT_SLOT}" if op == PostOp.EDIT else place


def block_slot(conn: sa.Connection, place: str, until: Instant) -> None:
    """Sets, within a transaction, the earliest time of the channel's next post."""
    if not _new_slot(conn, place, until):
        conn.execute(
            sa.update(SLOT)
            .where(SLOT.c.place == place, SLOT.c.free_at < until)
            .values(free_at=until)
        )


def _shared(rows: Sequence[sa.Row[Any]], share: PlaceShare | None) -> list[sa.Row[Any]]:
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


@cache
def _any_post(look: _Look) -> sa.Select[Any]:
    return sa.select(OUTBOX.c.id).where(_due_posts(look)).limit(1)


@cache
def _any_edit(look: _Look) -> sa.Select[Any]:
    return sa.select(OUTBOX.c.id).where(_due_edits(look)).limit(1)


@cache
def _any_emoji(look: _Look) -> sa.Select[Any]:
    return sa.select(OUTBOX.c.id).where(_due_emojis(look)).limit(1)


@cache
def _next_posts(look: _Look) -> sa.Select[Any]:
    return _rows(look).where(_due_posts(look)).order_by(OUTBOX.c.id).limit(_MOST)


@cache
def _next_edits(look: _Look) -> sa.Select[Any]:
    return _rows(look).where(_due_edits(look)).order_by(OUTBOX.c.id).limit(_MOST)


@cache
def _next_emojis(look: _Look) -> sa.Select[Any]:
    emojis = _rows(look).where(_due_emojis(look))
    return emojis.order_by(OUTBOX.c.op, OUTBOX.c.id).limit(_MOST)


def _rows(look: _Look) -> sa.Select[Any]:
    at = sa.type_coerce(look.now, Moment()).label("claimed_at")
    return sa.select(OUTBOX, at)


def _due_posts(look: _Look) -> sa.ColumnElement[bool]:
    """True if a post is due and waits for no earlier one of its thread, in a place that may have
    its next.
    """
    earlier = OUTBOX.alias()
    waits = sa.exists().where(
        _open(earlier),
        earlier.c.debate_id == OUTBOX.c.debate_id,
        earlier.c.place == OUTBOX.c.place,
        earlier.c.id < OUTBOX.c.id,
        earlier.c.op.not_in((*REACTIONS, PostOp.EDIT)),
    )
    return sa.and_(_due(look, _places(look)), ~_REACTS, ~_EDITS, ~waits)


def _due_edits(look: _Look) -> sa.ColumnElement[bool]:
    """Return whether an edit is due and waits neither for its message nor for an earlier edit of
    it.
    """
    earlier = OUTBOX.alias()
    waits = sa.exists().where(
        _open(earlier),
        earlier.c.debate_id == OUTBOX.c.debate_id,
        earlier.c.place == OUTBOX.c.place,
        earlier.c.id < OUTBOX.c.id,
        sa.or_(
            earlier.c.key == OUTBOX.c.target,
            sa.and_(earlier.c.op == PostOp.EDIT, earlier.c.target == OUTBOX.c.target),
        ),
    )
    places = _places(replace(look, paced=False))
    free: sa.ColumnElement[bool] = sa.true()
    if look.paced:
        over = sa.or_(SLOT.c.free_at <= look.now, SLOT.c.free_at > look.far)
        taken = sa.exists().where(SLOT.c.place == OUTBOX.c.place + _EDIT_SLOT, ~over)
        free = ~taken
    return sa.and_(_due(look, places), _EDITS, free, ~waits)


def _due_emojis(look: _Look) -> sa.ColumnElement[bool]:
    """True if emojis are due: no channel's pace holds them."""
    unpaced = replace(look, paced=False, shared=False)
    return sa.and_(_due(look, _places(unpaced)), _REACTS)


def _due(look: _Look, places: sa.Select[Any]) -> sa.ColumnElement[bool]:
    """True if a row is open and its time has come, in one of these places.

    They are looked for place by place, in the index of open rows by place and time: whatever else
    waits, however much, is not read.
    """
    come = OUTBOX.c.next_at <= look.now
    if look.platforms != (PostOp.WEBHOOK,):
        come |= sa.and_(OUTBOX.c.next_at > look.far, OUTBOX.c.op != PostOp.WEBHOOK)
    return sa.and_(OPEN, OUTBOX.c.place.in_(places), come)


def _places(look: _Look) -> sa.Select[Any]:
    """Selects the places that have open rows, hopping from one to the next in their index, without
    those that had one just now or have their share.
    """
    first, later = OUTBOX.alias(), OUTBOX.alias()
    open_place = (
        sa.select(sa.func.min(first.c.place).label("place"))
        .where(_open(first))
        .cte("open_place", recursive=True)
    )
    following = sa.select(sa.func.min(later.c.place))
    following = following.where(_open(later), later.c.place > open_place.c.place)
    open_place = open_place.union_all(
        sa.select(following.scalar_subquery()).where(open_place.c.place.is_not(None))
    )
    place = open_place.c.place
    places = sa.select(place).where(place.is_not(None))
    if look.platforms is not None:
        of_platform = (place.startswith(f"{one}:", autoescape=True) for one in look.platforms)
        places = places.where(sa.or_(*of_platform))
    if look.shared:
        places = places.where(place.not_in(_FULL))
    if look.paced:
        over = sa.or_(SLOT.c.free_at <= look.now, SLOT.c.free_at > look.far)
        places = places.where(~sa.exists().where(SLOT.c.place == place, ~over))
    return places


def longest(op: str) -> timedelta:
    """Returns the longest time for which a row of this operation is put off."""
    return FARTHEST_OF.get(op, FARTHEST)


def _slot_taken(conn: sa.Connection, place: str, now: Instant, pace: Mapping[str, float]) -> bool:
    """Takes the channel's slot for the length of its pace, and says whether it was free."""
    seconds = pace.get(place.partition(":")[0], 0.0)
    if not seconds:
        return True
    until = now + timedelta(seconds=seconds)
    if _new_slot(conn, place, until):
        return True
    return bool(
        conn.execute(
            sa.update(SLOT)
            .where(SLOT.c.place == place, is_over(SLOT.c.free_at, now))
            .values(free_at=until)
        ).rowcount
    )


def _new_slot(conn: sa.Connection, place: str, until: Instant) -> bool:
    new = insert_new(conn, SLOT, "place").values(place=place, free_at=until)
    return conn.execute(new.returning(SLOT.c.place)).scalar() is not None


def _delivery(row: sa.Row[Any], owner: str) -> Delivery:
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
        first_attempt_at=min(row.first_attempt_at or row.claimed_at, row.claimed_at),
        claimed_at=row.claimed_at,
        unconfirmed=row.state == RowState.SENDING,
        done=tuple(row.done),
    )
