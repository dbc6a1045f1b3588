"""The table of work, for everything that a bot does on forges and chats besides the outbox: it
writes posts to forges, handles their events, and deletes the texts of forgotten debates.

A row has a ``kind``, a ``key`` that is unique for ever, and a ``payload``. It is due at ``next_at``
and goes pending -> sending -> done; or dead, if it is given up. A claim makes it ``sending`` and is
committed before anything leaves, so the next holder knows after a crash that an earlier try may
have arrived (``unconfirmed``) and looks first. The claim is a lease: one replica does the work, and
another one continues if it dies. The number of tries and the last problem are stored; ``bot.work``
decides about the next try. An event's payload is deleted when it is done or dead, a post's with the
texts of its debate.

The outbox is another table, because order, pace and edits decide there what is next.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from core.debate.log import ForgePostKind
from storage.audit import Act, actor, append_act
from storage.database import Database, inserted
from storage.database.clock import AT_ONCE
from storage.leases import OPEN, Lease, RowState, later
from storage.tables import WORK

LEASE = timedelta(seconds=60)
EVENT = "event"
"""The kind of a forge's event; ``ForgePostKind`` has the kinds of posts."""
POSTS = frozenset(ForgePostKind)


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work: ``target`` is the pull request or place that it is for, ``by`` the person
    who approved it, "" if nobody has to.
    """

    key: str
    kind: str
    payload: Mapping[str, Any]
    debate: str = ""
    target: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class WorkRow:
    """A stored piece of work. ``attempt`` is the number of its tries, including the claimed one;
    ``until`` is when the claim ends, by this process's own clock.
    """

    work: Work
    state: str
    attempt: int
    reason: str
    result: Mapping[str, Any]
    owner: str = ""
    unconfirmed: bool = False
    until: float = field(default=0.0, compare=False)

    @property
    def row(self) -> str:
        return self.work.key

    @property
    def held(self) -> bool:
        """True if no other process can have claimed it: this one may have slept."""
        return time.monotonic() < self.until

    @property
    def waiting(self) -> bool:
        return self.state in OPEN


class WorkQueue:
    """The work of one database; ``wake_event`` is set when this process has stored some."""

    def __init__(self, database: Database, lease: timedelta = LEASE) -> None:
        self._db = database
        self._lease = Lease(WORK, lease)
        self.wake_event = asyncio.Event()

    async def add(self, *pieces: Work, again: Collection[str] = (RowState.DEAD,)) -> int:
        """Stores work durably, all or none, and counts what was added. If a key is known, its row
        is done once more if its state is one of ``again``.
        """
        now = self._db.now()

        def work(conn: sa.Connection) -> int:
            return sum(insert_work(conn, piece, now, again) for piece in pieces)

        fresh = await self._db.write(work)
        if fresh:
            self.wake_event.set()
        return fresh

    async def claim(
        self, owner: str, kinds: Collection[str], limit: int = 4, busy: Collection[str] = ()
    ) -> list[WorkRow]:
        """Claims the oldest due rows of these kinds that no process holds, except those that the
        owner is ``busy`` with.

        A debate's checks go one after the other, because the newer one changes what the older one
        made; so do its amendments, after the reviews that they change.
        """
        now, own = self._db.moment(), (WORK.c.kind.in_(kinds), WORK.c.key.not_in(busy), ~_waits())
        until = time.monotonic() + self._lease.length.total_seconds() * 0.8
        any_due = self._lease.due(now, 1, *own)

        def work(conn: sa.Connection) -> list[WorkRow]:
            rows = self._lease.claim(conn, owner, now, limit, *own)
            return [
                read_row(row, owner=owner, until=until, unconfirmed=row.state == RowState.SENDING)
                for row in rows
            ]

        if limit < 1 or not kinds or not await self._db.rows(any_due):
            return []
        return await self._db.write(work)

    async def done(
        self, row: WorkRow, *, result: Mapping[str, Any] | None = None, reason: str = ""
    ) -> bool:
        """Records that the work is done; False if the claim was lost meanwhile. ``reason`` is what
        people should know all the same.
        """
        return await self._settle(row, state=RowState.DONE, result=result, reason=reason)

    async def dead(self, row: WorkRow, reason: str) -> bool:
        return await self._settle(row, state=RowState.DEAD, reason=reason)

    async def retry(self, row: WorkRow, after: float, reason: str, *, unconfirmed: bool) -> bool:
        """Puts the work off for ``after`` seconds; ``unconfirmed`` if this try may have arrived."""
        at = later(self._db.moment(), after)
        state = RowState.SENDING if unconfirmed else RowState.PENDING
        return await self._settle(row, state=state, next_at=at, reason=reason)

    async def change(self, row: WorkRow, payload: Mapping[str, Any]) -> bool:
        """Replaces the payload of work that is not done, and tries it at once."""
        changed = await self._settle(
            row, state=RowState.PENDING, payload=dict(payload), next_at=AT_ONCE
        )
        self.wake_event.set()
        return changed

    async def keep(self, rows: Collection[WorkRow]) -> None:
        """Renews the claims of work in progress, so that no other process begins it, too."""
        if rows:
            await self._db.write(lambda conn: [self.renew(conn, row) for row in rows])

    def renew(self, conn: sa.Connection, row: WorkRow) -> bool:
        """Renews a claim within a transaction; False if it was lost."""
        return self._lease.renew(conn, row, self._db.moment())

    async def of(self, debate: str) -> Sequence[WorkRow]:
        """Returns a debate's work, oldest first."""
        query = sa.select(WORK).where(WORK.c.debate_id == debate).order_by(WORK.c.at, WORK.c.key)
        rows = await self._db.rows(query)
        return [read_row(row) for row in rows]

    async def find(self, key: str) -> WorkRow | None:
        """Returns the work with this key."""
        rows = await self._db.rows(sa.select(WORK).where(WORK.c.key == key))
        return next(map(read_row, rows), None)

    async def forget(self, kind: str, before: datetime) -> int:
        """Deletes the rows of a kind that were added before then and wait for nothing, and counts
        them.
        """
        drop = sa.delete(WORK).where(
            WORK.c.kind == kind, WORK.c.at < before, WORK.c.state.not_in(OPEN)
        )
        return await self._db.change(drop)

    async def _settle(self, row: WorkRow, **values: Any) -> bool:
        if row.work.kind == EVENT and values["state"] not in OPEN:
            values["payload"] = {}
        return await self._db.write(lambda conn: self._lease.settle(conn, row, **values))


def insert_work(conn: sa.Connection, piece: Work, now: datetime, again: Collection[str]) -> bool:
    """Stores a piece of work within a transaction. If its key is known, the row is done once more
    if its state is one of ``again``. Returns False if nothing was added.
    """
    fresh = {
        "payload": dict(piece.payload), "by": piece.by, "state": RowState.PENDING,
        "next_at": AT_ONCE, "claimed_by": "", "attempts": 0, "reason": "",
    }  # fmt: skip
    row = {
        "key": piece.key, "kind": piece.kind, "debate_id": piece.debate or None,
        "target": piece.target, "at": now, **fresh,
    }  # fmt: skip
    if inserted(conn, WORK, row, "key"):
        if piece.kind in POSTS:
            act = Act("post to a forge", piece.debate, {"kind": piece.kind})
            append_act(conn, actor(piece.by), act, now)
        return True
    over = sa.update(WORK).where(
        WORK.c.key == piece.key, WORK.c.kind == piece.kind, WORK.c.state.in_(again)
    )
    return bool(conn.execute(over.values(**fresh)).rowcount)


def read_row(row: sa.Row[Any], **claim: Any) -> WorkRow:
    work = Work(row.key, row.kind, row.payload, row.debate_id or "", row.target, row.by)
    attempt = row.attempts + bool(claim)
    return WorkRow(work, row.state, attempt, row.reason, row.result or {}, **claim)


@cache  # building it costs more than running it
@cache  # building it costs more than running it
def _waits() -> sa.ColumnElement[bool]:
    """True if earlier work of the same debate has to be done first."""
    before = WORK.alias()
    first = {
        ForgePostKind.CHECK: (ForgePostKind.CHECK,),
        ForgePostKind.AMENDMENT: (ForgePostKind.REVIEW, ForgePostKind.AMENDMENT),
    }
    return sa.exists().where(
        sa.or_(*(sa.and_(WORK.c.kind == k, before.c.kind.in_(v)) for k, v in first.items())),
        before.c.debate_id == WORK.c.debate_id,
        before.c.state.in_(OPEN),
        sa.or_(
            before.c.at < WORK.c.at,
            sa.and_(before.c.at == WORK.c.at, before.c.key < WORK.c.key),
        ),
    )
