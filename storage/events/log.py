"""The events of one debate, opened for writing behind a fence.

A process that claims a debate raises its epoch. Every commit begins by moving the row on, ``WHERE
epoch = mine AND events = position``; if that matches no row, another writer has taken over and
nothing at all is written. The calls' rows, the posts for the outbox and the applied commands go
into the same commit, so that no crash leaves one without the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from math import fsum
from typing import Any

import msgspec
import sqlalchemy as sa

from core.debate.errors import Fenced
from core.debate.events import DebateConcluded, DebateOpened, Event, OpeningFailed
from core.debate.log import Append, Call, CallState, Outgoing, PostOp
from core.debate.usage import Usage
from storage.audit import PROCESS, Act, Actor, append_act
from storage.codec import EVENTS, payload_of
from storage.database import Database, insert_new, put, upsert, value_of
from storage.database.clock import AT_ONCE
from storage.events.levels import level_of
from storage.leases import RowState
from storage.tables import CALL, COMMAND, DEBATE, EVENT, OUTBOX

NO_ROOT = "the debate's first message is not there"
"""The reason of a post that died because its thread never began; it is revived when the first
message is posted once more.
"""

_MINE = sa.and_(DEBATE.c.id == sa.bindparam("mine"), DEBATE.c.epoch == sa.bindparam("my_epoch"))
_FENCE = (
    sa.update(DEBATE)
    .where(_MINE, DEBATE.c.events == sa.bindparam("position"))
    .values(
        events=sa.bindparam("next"),
        updated_at=sa.bindparam("now"),
        cost=DEBATE.c.cost + sa.bindparam("spent"),
    )
)
_FENCE_STATUS = _FENCE.values(
    status=sa.bindparam("new_status"), wake_at=sa.bindparam("new_wake_at")
)
_BEAT = sa.update(DEBATE).where(_MINE)
_RELEASE = sa.update(DEBATE).where(_MINE).values(owner="", beat_at=None)
_EVENTS_IN = sa.insert(EVENT)
_EVENTS_OF = (
    sa.select(EVENT.c.kind, EVENT.c.version, EVENT.c.payload)
    .where(EVENT.c.debate_id == sa.bindparam("mine"))
    .order_by(EVENT.c.seq)
)
_CALLS_OF = (
    sa.select(CALL)
    .where(CALL.c.debate_id == sa.bindparam("mine"))
    .order_by(CALL.c.turn, CALL.c.attempt)
)
_APPLIED = (
    sa.update(COMMAND)
    .where(COMMAND.c.id == sa.bindparam("signal"), COMMAND.c.debate_id == sa.bindparam("mine"))
    .values(applied_seq=sa.bindparam("position"), answer=sa.bindparam("told"))
)


async def load_calls(database: Database, debate: str) -> list[Call]:
    """Returns all paid requests of a debate so far, by turn and attempt."""
    return [
        value_of(Call, row, state=CallState(row.state), usage=msgspec.convert(row.usage, Usage))
        for row in await database.rows(_CALLS_OF, {"mine": debate})
    ]


class DebateLog:
    """Implements ``log.Log`` over the store; made by ``storage.debates.Debates.claim``."""

    def __init__(self, database: Database, debate: str, epoch: int) -> None:
        self._db = database
        self.debate = debate
        self.epoch = epoch

    async def load(self) -> Sequence[Event]:
        """Returns all events, oldest first. Raises ``storage.codec.UnknownFormat``."""
        return decode_events(await self._db.rows(_EVENTS_OF, {"mine": self.debate}))

    async def calls(self) -> Sequence[Call]:
        """Returns all paid requests so far, by turn and attempt: a ``done`` one is never paid
        again.
        """
        return await load_calls(self._db, self.debate)

    async def append(self, append: Append) -> None:
        """Writes a commit, durable when this returns. Raises ``Fenced``, having written nothing,
        when the debate has another writer or other events.
        """
        if append.debate != self.debate:
            raise ValueError(f"{append.debate!r} does not belong into the log of {self.debate!r}")
        now = self._db.now()
        await self._db.write(lambda conn: self._write(conn, append, now))
        if append.posts:
            self._db.posted.set()

    async def heartbeat(self) -> None:
        """Records that this writer lives. Raises ``Fenced``."""
        mine = {"mine": self.debate, "my_epoch": self.epoch}
        beat = _BEAT.values(beat_at=self._db.moment())
        if not await self._db.write_apart(lambda conn: conn.execute(beat, mine).rowcount):
            raise Fenced(self.debate)

    async def release(self) -> None:
        """Gives up the debate, so that the next command meets no writer. Raises ``Fenced``."""
        mine = {"mine": self.debate, "my_epoch": self.epoch}
        if not await self._db.change(_RELEASE, mine):
            raise Fenced(self.debate)

    def require_mine(self, conn: sa.Connection) -> None:
        """Checks, within a transaction, that no other writer took over. Raises ``Fenced``."""
        mine = sa.select(DEBATE.c.id).where(_MINE)
        if conn.execute(mine, {"mine": self.debate, "my_epoch": self.epoch}).scalar() is None:
            raise Fenced(self.debate)

    def _write(self, conn: sa.Connection, append: Append, now: datetime) -> None:
        self._fence(conn, append, now)
        events, position = append.events, append.position
        rows = [
            event_row(self.debate, seq, event, self.epoch, now)
            for seq, event in enumerate(events, position)
        ]
        put(conn, _EVENTS_IN, rows)
        put(conn, upsert(conn, CALL), [_call_row(self.debate, call, now) for call in append.calls])
        applied = {"mine": self.debate, "position": position + len(events)}
        for id in append.applied:
            conn.execute(_APPLIED, {**applied, "signal": id, "told": append.answers.get(id, "")})
        if any(isinstance(x, DebateConcluded | OpeningFailed) for x in events):
            _account(conn, self.debate, now)
        if (needs := level_of(events)) > 1:
            mine = sa.and_(DEBATE.c.id == self.debate, DEBATE.c.needs < needs)
            conn.execute(sa.update(DEBATE).where(mine).values(needs=needs))
        _describe(conn, self.debate, events)
        if append.posts:
            insert_posts(conn, self.debate, append.posts, now)

    def _fence(self, conn: sa.Connection, append: Append, now: datetime) -> None:
        """Moves the debate's row on if it still belongs to this writer. Raises ``Fenced``."""
        moved = {
            "mine": self.debate,
            "my_epoch": self.epoch,
            "position": append.position,
            "next": append.position + len(append.events),
            "now": now,
            "spent": fsum(c.usage.usd or 0.0 for c in append.calls if c.state != CallState.INTENT),
        }
        fence = _FENCE
        if append.status:
            fence = _FENCE_STATUS
            moved |= {"new_status": append.status, "new_wake_at": append.wake_at}
        if not conn.execute(fence, moved).rowcount:
            raise Fenced(self.debate)


def _describe(conn: sa.Connection, debate: str, events: Iterable[Event]) -> None:
    """Updates the columns that lists show, which are known once the debate has opened."""
    for event in events:
        if isinstance(event, DebateOpened):
            values = {"title": event.material.title, "private": event.material.private}
            conn.execute(sa.update(DEBATE).where(DEBATE.c.id == debate).values(**values))


def _account(conn: sa.Connection, debate: str, now: datetime) -> None:
    """Writes the cost of a debate into the audit log at its end, under the person who started
    it.
    """
    query = sa.select(DEBATE.c.cost, DEBATE.c.asker, DEBATE.c.place).where(DEBATE.c.id == debate)
    row = conn.execute(query).one()
    act = Act("spend", debate, {"usd": round(row.cost, 6)})
    append_act(conn, Actor(row.asker, PROCESS, row.place), act, now)


def insert_posts(
    conn: sa.Connection, debate: str, posts: Iterable[Outgoing], now: datetime
) -> None:
    """Puts, within a transaction, posts at the end of their threads; one that is there already
    stays unchanged.
    """
    rows = []
    for post in posts:
        if post.op == PostOp.AGAIN:
            revive(conn, post.place, post.key, (RowState.DEAD,))
            continue
        rows.append(
            {
                "debate_id": debate,
                "place": post.place,
                "key": post.key,
                "op": post.op,
                "target": post.target,
                "body": dict(post.body),
                "state": RowState.PENDING,
                "created_at": now,
                "next_at": AT_ONCE,
            }
        )
    put(conn, insert_new(conn, OUTBOX, "place", "key"), rows)


def revive(conn: sa.Connection, place: str, key: str, states: Sequence[str]) -> bool:
    """Retries, within a transaction, a post in one of these states and those that died with it;
    False if there is none.
    """
    values = {
        "state": RowState.PENDING,
        "next_at": AT_ONCE,
        "first_attempt_at": None,
        "attempts": 0,
        "reason": "",
    }
    mine = sa.and_(OUTBOX.c.place == place, OUTBOX.c.key == key, OUTBOX.c.state.in_(states))
    debate = conn.execute(
        sa.update(OUTBOX).where(mine).values(**values).returning(OUTBOX.c.debate_id)
    ).scalar()
    if debate is None:
        return False
    orphans = sa.and_(
        OUTBOX.c.place == place, OUTBOX.c.debate_id == debate, OUTBOX.c.state == RowState.DEAD
    )
    conn.execute(sa.update(OUTBOX).where(orphans, OUTBOX.c.reason == NO_ROOT).values(**values))
    return True


def insert_calls(conn: sa.Connection, debate: str, calls: Sequence[Call], now: datetime) -> None:
    """Stores, within a transaction, calls that were paid before the debate had a writer."""
    put(conn, upsert(conn, CALL), [_call_row(debate, call, now) for call in calls])
    spent = fsum(call.usage.usd or 0.0 for call in calls)
    conn.execute(sa.update(DEBATE).where(DEBATE.c.id == debate).values(cost=DEBATE.c.cost + spent))


def insert_intents(
    conn: sa.Connection, debate: str, calls: Sequence[Call], reserve: float, now: datetime
) -> None:
    """Stores, within a transaction, calls that are about to be made, and the reserve for the
    closing turns.
    """
    put(conn, upsert(conn, CALL), [_call_row(debate, call, now) for call in calls])
    conn.execute(sa.update(DEBATE).where(DEBATE.c.id == debate).values(reserve=reserve))


def event_row(debate: str, seq: int, event: Event, epoch: int, at: datetime) -> dict[str, Any]:
    kind, version = EVENTS.kind_and_version(event)
    return {
        "debate_id": debate,
        "seq": seq,
        "kind": kind,
        "version": version,
        "payload": payload_of(event),  # the column's own encoder makes it JSON, in one go
        "epoch": epoch,
        "at": at,
    }


def _call_row(debate: str, call: Call, at: datetime) -> dict[str, Any]:
    return {
        "debate_id": debate,
        "turn": call.turn,
        "attempt": call.attempt,
        "model": call.model,
        "state": call.state,
        "request_hash": call.request_hash,
        "response": call.response,
        "error": call.error,
        "usage": call.usage,
        "usd": call.usage.usd,
        "estimate": call.estimate,
        "at": at,
    }


def decode_events(rows: Iterable[Any]) -> list[Event]:
    """Returns events from rows of (kind, version, payload)."""
    return [EVENTS.decode(kind, version, payload) for kind, version, payload in rows]
