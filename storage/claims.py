"""Decides which row of the outbox is sent next, and by which process.

One post of a thread (debate and place) is sent at a time, the oldest first. Edits wait only for the
message that they change, and only the newest edit of a message is sent; emojis wait for nothing.
The pace is stored here, because it holds over all replicas: a claim takes the channel's slot or
leaves the row. Platforms limit edits apart from posts, so edits have another slot.

A decision comes when it is made: if posts have a pace, the verdict passes the posts that wait for
it in its thread and channel, and a part of the burst is kept for edits that show the decision.

The outbox is looked at after each delivery and again and again between them, and building these
statements takes many times longer than running them if nothing is due: each is built once for the
platforms that a process claims for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import product
from typing import Any

import sqlalchemy as sa

from core.debate.log import PostOp
from storage.database import insert_new
from storage.database.clock import SERVER_TIME, Instant
from storage.leases import FARTHEST, Lease, RowState
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
"""The most emoji rows that one process holds: few enough to be sent within their claim if a
platform is slow.
"""
LEASE = timedelta(seconds=60)
FARTHEST_OF: Mapping[str, timedelta] = {PostOp.WEBHOOK: timedelta(hours=27)}
"""The longest wait by operation, if it is not ``FARTHEST``: the last wait of a webhook's message is
a day and a tenth at most.
"""
_REACTS = OUTBOX.c.op.in_(REACTIONS)
EDITS = (PostOp.EDIT, PostOp.EDIT_FIRST)
"""The operations that change a message."""
SUPERSEDED = "a newer edit took its place"
_EDITS = OUTBOX.c.op.in_(EDITS)
_DECIDES = sa.or_(
    OUTBOX.c.op == PostOp.EDIT_FIRST,
    sa.and_(OUTBOX.c.op == PostOp.POST, OUTBOX.c.target != ""),
)
_DECISIONS_FIRST = sa.case((_DECIDES, 0), else_=1)
_EDIT_SLOT, _THREAD_SLOT = "#edits", "#thread:"
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
class Rate:
    """One call in ``seconds``; 0 is no limit. ``burst`` more may follow at once after a rest, and
    ``reserve`` more that show a decision.
    """

    seconds: float = 0.0
    burst: int = 0
    reserve: int = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """What a platform allows. With ``threads`` it counts the posts of a thread rather than of a
    channel, with ``workspace`` the edits of a workspace rather than of a channel.
    """

    posts: Rate = Rate()
    edits: Rate = Rate()
    threads: bool = False
    workspace: bool = False

    def rate(self, op: str) -> Rate:
        return self.edits if op in EDITS else self.posts

    def ahead(self, op: str, *, decides: bool) -> float:
        """Returns the seconds by which a row may use its slot before the slot is free."""
        rate = self.rate(op)
        return rate.seconds * (rate.burst + (rate.reserve if decides else 0))


UNPACED = Pace()


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
    due by the server's time or by a given one; the paces by platform, and whether places have a
    share.
    """

    platforms: tuple[str, ...] | None
    by_server: bool
    paces: tuple[tuple[str, Pace], ...]
    shared: bool

    @property
    def now(self) -> sa.ColumnElement[datetime]:
        return SERVER_TIME if self.by_server else _NOW

    @property
    def far(self) -> sa.ColumnElement[datetime]:
        """The moment after which nothing can wait."""
        return SERVER_TIME + FARTHEST if self.by_server else _FAR

    def ahead(self, seconds: float) -> sa.ColumnElement[datetime]:
        """The moment ``seconds`` from now."""
        if self.by_server:
            return SERVER_TIME + timedelta(seconds=seconds)
        return sa.bindparam(_ahead(seconds), type_=Moment())


def _ahead(seconds: float) -> str:
    return f"ahead_{round(seconds * 1000)}"


def _look(
    now: Instant, pace: Mapping[str, Pace] | None, share: PlaceShare | None
) -> tuple[_Look, dict[str, Any]]:
    platforms = None if pace is None else tuple(sorted(pace))
    paces = tuple(sorted((pace or {}).items(), key=lambda item: item[0]))
    look = _Look(platforms, not isinstance(now, datetime), paces, share is not None)
    values: dict[str, Any] = {}
    if isinstance(now, datetime):
        values |= {"now": now, "far": now + FARTHEST}
        for _, one in paces:
            for op, decides in product((PostOp.POST, PostOp.EDIT), (True, False)):
                saved = one.ahead(op, decides=decides)
                values[_ahead(saved)] = now + timedelta(seconds=saved)
    if share is not None:
        values["full"] = share.full
    return look, values


def is_any_due(
    conn: sa.Connection,
    now: Instant,
    pace: Mapping[str, Pace] | None,
    reactions: int,
    share: PlaceShare | None,
) -> bool:
    """True if a claim would return anything; it runs first, because it waits for no writer."""
    look, values = _look(now, pace, share)
    due = (_due_posts, _due_edits, _due_emojis) if reactions > 0 else (_due_posts, _due_edits)
    return bool(conn.execute(_any(look, due), values).scalar())


def take_due(
    conn: sa.Connection,
    owner: str,
    now: Instant,
    lease: Lease,
    limit: int,
    pace: Mapping[str, Pace] | None,
    reactions: int,
    share: PlaceShare | None,
) -> list[Delivery]:
    """Claims, within a transaction, the rows that may be sent now: posts in order of age, then
    edits, those that show a decision first, then emojis. Edits that a claimed one replaces are
    given up.
    """
    look, values = _look(now, pace, share)
    heads = [
        *conn.execute(_next(look, _due_posts), {**values, "most": limit}).all(),
        *conn.execute(_next(look, _due_edits), {**values, "most": limit}).all(),
    ]
    rows = [
        row
        for row in _shared(heads, share)
        if _slot_taken(conn, row, (pace or {}).get(row.place.partition(":")[0], UNPACED))
    ]
    reacting: Sequence[sa.Row[Any]] = []
    if reactions > 0:
        reacting = conn.execute(_next(look, _due_emojis), {**values, "most": reactions}).all()
    _supersede(conn, [row for row in rows if row.op in EDITS])
    rows = [*rows, *reacting]
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


def slot_of(place: str, op: str, debate: str, pace: Pace) -> str:
    """Returns the slot that a row takes: posts have one in their channel or thread, edits another
    in their channel or workspace.
    """
    if op not in EDITS:
        return f"{place}{_THREAD_SLOT}{debate}" if pace.threads else place
    return f"{_workspace(place) if pace.workspace else place}{_EDIT_SLOT}"


def _workspace(place: str) -> str:
    return place[: place.rfind("/") + 1]


def _supersede(conn: sa.Connection, edits: Sequence[sa.Row[Any]]) -> None:
    """Gives up, within a transaction, the older edits of the same messages."""
    for edit in edits:
        conn.execute(
            sa.update(OUTBOX)
            .where(
                OPEN,
                _EDITS,
                OUTBOX.c.debate_id == edit.debate_id,
                OUTBOX.c.place == edit.place,
                OUTBOX.c.target == edit.target,
                OUTBOX.c.id < edit.id,
            )
            .values(state=RowState.DEAD, reason=SUPERSEDED, claimed_by="")
        )


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


_Due = Callable[[_Look], sa.ColumnElement[bool]]


@cache
def _any(look: _Look, due: tuple[_Due, ...]) -> sa.Select[Any]:
    return sa.select(sa.or_(*(sa.exists().where(each(look)) for each in due)))


@cache
def open_place(platforms: tuple[str, ...]) -> sa.Select[Any]:
    """Selects a place of one of these platforms in which a row waits, for its time or for another
    one.
    """
    place = _open_places().c.place
    of_platform = (_is_of(platform, place) for platform in platforms)
    return sa.select(place).where(sa.or_(sa.false(), *of_platform)).limit(1)


@cache
def _next(look: _Look, due: _Due) -> sa.Select[Any]:
    """Selects the rows to send next: decisions go first, and the emojis of statements last."""
    at = sa.type_coerce(look.now, Moment()).label("claimed_at")
    first = OUTBOX.c.op if due is _due_emojis else _DECISIONS_FIRST
    rows = sa.select(OUTBOX, at).where(due(look))
    return rows.order_by(first, OUTBOX.c.id).limit(_MOST)


def _due_posts(look: _Look) -> sa.ColumnElement[bool]:
    """True if a post is due and waits for no earlier one of its thread, in a place that may have
    its next. A decision waits only for the thread's first message and for a post on its way, if its
    platform has a pace.
    """
    earlier = OUTBOX.alias()
    under_way = sa.or_(earlier.c.state == RowState.SENDING, earlier.c.key == OUTBOX.c.target)
    waits = sa.exists().where(
        _open(earlier),
        earlier.c.debate_id == OUTBOX.c.debate_id,
        earlier.c.place == OUTBOX.c.place,
        earlier.c.id < OUTBOX.c.id,
        earlier.c.op.not_in((*REACTIONS, *EDITS)),
        sa.or_(~sa.and_(_DECIDES, _is_paced(look)), under_way),
    )
    held = _is_held(look, posts=True)
    return sa.and_(_due(look, _places(look, paced=True)), ~_REACTS, ~_EDITS, ~held, ~waits)


def _is_paced(look: _Look) -> sa.ColumnElement[bool]:
    """True if the platform of a row has a pace for posts."""
    return sa.or_(sa.false(), *(_is_of(name) for name, pace in look.paces if pace.posts.seconds))


def _is_of(platform: str, place: sa.ColumnElement[str] = OUTBOX.c.place) -> sa.ColumnElement[bool]:
    return place.startswith(f"{platform}:", autoescape=True)


def _due_edits(look: _Look) -> sa.ColumnElement[bool]:
    """True if an edit is due, is the newest of its message, and waits neither for its message nor
    for an earlier edit that is on its way.
    """
    other = OUTBOX.alias()
    same = sa.and_(other.c.op.in_(EDITS), other.c.target == OUTBOX.c.target)
    under_way = sa.and_(other.c.state == RowState.SENDING, other.c.next_at > look.now)
    waits = sa.exists().where(
        _open(other),
        other.c.debate_id == OUTBOX.c.debate_id,
        other.c.place == OUTBOX.c.place,
        sa.or_(
            sa.and_(other.c.id < OUTBOX.c.id, other.c.key == OUTBOX.c.target),
            sa.and_(other.c.id < OUTBOX.c.id, same, under_way),
            sa.and_(other.c.id > OUTBOX.c.id, same),
        ),
    )
    return sa.and_(_due(look, _places(look)), _EDITS, ~_is_held(look, posts=False), ~waits)


def _is_held(look: _Look, *, posts: bool) -> sa.ColumnElement[bool]:
    """True if the slot of a post or an edit is taken for longer than it may be used ahead. The
    posts of channels are left to ``_places``.
    """
    op = PostOp.POST if posts else PostOp.EDIT
    held = []
    for platform, pace in look.paces:
        slot: sa.ColumnElement[str] = OUTBOX.c.place
        if posts and not pace.threads:
            continue
        if posts:
            slot = slot + _THREAD_SLOT + OUTBOX.c.debate_id
        elif pace.workspace:  # without the characters after the last slash
            slot = sa.func.rtrim(slot, sa.func.replace(slot, "/", "")) + _EDIT_SLOT
        else:
            slot = slot + _EDIT_SLOT
        moment = sa.case(
            (_DECIDES, look.ahead(pace.ahead(op, decides=True))),
            else_=look.ahead(pace.ahead(op, decides=False)),
        )
        taken = sa.and_(SLOT.c.place == slot, SLOT.c.free_at > moment, SLOT.c.free_at <= look.far)
        held.append(sa.and_(_is_of(platform), sa.exists().where(taken)))
    return sa.or_(sa.false(), *held)


def _due_emojis(look: _Look) -> sa.ColumnElement[bool]:
    return sa.and_(_due(look, _places(look, shared=False)), _REACTS)


def _due(look: _Look, places: sa.Select[Any]) -> sa.ColumnElement[bool]:
    """True if a row is open and its time has come, in one of these places.

    They are looked for place by place, in the index of open rows by place and time: other waiting
    rows, however many, are not read.
    """
    come = OUTBOX.c.next_at <= look.now
    if look.platforms != (PostOp.WEBHOOK,):
        come |= sa.and_(OUTBOX.c.next_at > look.far, OUTBOX.c.op != PostOp.WEBHOOK)
    return sa.and_(OPEN, OUTBOX.c.place.in_(places), come)


def _places(look: _Look, *, paced: bool = False, shared: bool = True) -> sa.Select[Any]:
    """Selects the places that have open rows, hopping from one to the next in their index, without
    those that have their share, and with ``paced`` without those that had a post just now.
    """
    place = _open_places().c.place
    places = sa.select(place).where(place.is_not(None))
    if look.platforms is not None:
        places = places.where(sa.or_(*(_is_of(one, place) for one in look.platforms)))
    if look.shared and shared:
        places = places.where(place.not_in(_FULL))
    if paced and look.paces:
        over = sa.or_(SLOT.c.free_at <= look.now, SLOT.c.free_at > look.far)
        places = places.where(~sa.exists().where(SLOT.c.place == place, ~over))
    return places


@cache
def _open_places() -> sa.CTE:
    first, later = OUTBOX.alias(), OUTBOX.alias()
    open_place = (
        sa.select(sa.func.min(first.c.place).label("place"))
        .where(_open(first))
        .cte("open_place", recursive=True)
    )
    following = sa.select(sa.func.min(later.c.place))
    following = following.where(_open(later), later.c.place > open_place.c.place)
    return open_place.union_all(
        sa.select(following.scalar_subquery()).where(open_place.c.place.is_not(None))
    )


def longest(op: str) -> timedelta:
    """Returns the longest time for which a row of this operation is put off."""
    return FARTHEST_OF.get(op, FARTHEST)


def _slot_taken(conn: sa.Connection, row: sa.Row[Any], pace: Pace) -> bool:
    """Takes the slot of a row for the length of its pace. Returns False if it was not free."""
    seconds = pace.rate(row.op).seconds
    if not seconds:
        return True
    slot, now = slot_of(row.place, row.op, row.debate_id, pace), row.claimed_at
    if _new_slot(conn, slot, now + timedelta(seconds=seconds)):
        return True
    mine = SLOT.c.place == slot
    free_at = conn.execute(sa.select(SLOT.c.free_at).where(mine)).scalar_one()
    decides = row.op == PostOp.EDIT_FIRST or (row.op == PostOp.POST and row.target != "")
    if now + timedelta(seconds=pace.ahead(row.op, decides=decides)) < free_at <= now + FARTHEST:
        return False
    begins = max(free_at, now) if free_at <= now + FARTHEST else now  # else a clock was wrong
    taken = sa.update(SLOT).where(mine, SLOT.c.free_at == free_at)
    return bool(conn.execute(taken.values(free_at=begins + timedelta(seconds=seconds))).rowcount)


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
