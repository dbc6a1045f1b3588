"""The outbox of posts: each is sent once, in the order of its thread, whatever crashes in between.

A row goes pending -> sending -> sent. At most one post of a thread (debate and place) is being
sent, and later posts wait for it; ``dead`` and ``uncertain`` rows block none. Edits and emojis are
rows that no post waits for. The claim is a lease: when it runs out (its holder died), the row is
claimed again and is ``unconfirmed``, since the message may already be in the chat: look before
sending. ``storage.claims`` decides which row is next, and when a channel may have it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from core.application.presence import Ref
from core.debate.commands import Command
from core.debate.log import Outgoing, PostOp
from storage.claims import (
    EDITS,
    LEASE,
    OPEN,
    REACTIONS,
    REACTIONS_AT_ONCE,
    UNCERTAIN,
    UNPACED,
    Delivery,
    Pace,
    PlaceShare,
    block_slot,
    is_any_due,
    longest,
    open_place,
    put_off_followers,
    slot_of,
    take_due,
)
from storage.commands import insert_command
from storage.database import Database, put, upsert
from storage.database.clock import AT_ONCE, Instant
from storage.events.log import insert_posts, revive
from storage.leases import Lease, RowState, later
from storage.tables import DEBATE, MESSAGE, OUTBOX


@dataclass(frozen=True, slots=True)
class Backlog:
    """The number of open rows, the age of the oldest in seconds, and the number of rows that wait
    for a person's decision.
    """

    open: int
    age: float
    uncertain: int


class Outbox:
    """The posts of one database. ``wake_event`` is set when this process has added some; ``lease``
    is how long a claim lasts without renewal.
    """

    def __init__(self, database: Database, lease: timedelta = LEASE) -> None:
        self._db = database
        self._lease = Lease(OUTBOX, lease, by="id")

    @property
    def lease(self) -> timedelta:
        return self._lease.length

    @property
    def wake_event(self) -> asyncio.Event:
        return self._db.posted

    async def claim(
        self,
        owner: str,
        limit: int = 16,
        *,
        pace: Mapping[str, Pace] | None = None,
        reactions: int = REACTIONS_AT_ONCE,
        share: PlaceShare | None = None,
    ) -> list[Delivery]:
        """Claims the next sendable row of each thread, one per thread, in order of age; and up to
        ``reactions`` rows of emojis.

        ``pace`` names the platforms to claim for, with what each allows; None claims all,
        unpaced. ``share`` keeps one place from taking all.
        """
        if pace is not None and not pace:
            return []
        now = self._db.moment()
        if not await self._db.query(lambda conn: is_any_due(conn, now, pace, reactions, share)):
            return []
        return await self._db.write(
            lambda conn: take_due(conn, owner, now, self._lease, limit, pace, reactions, share)
        )

    async def has_open(self, platforms: Iterable[str]) -> bool:
        """True if a post to one of these platforms waits, for its time or for another one."""
        return await self._db.scalar(open_place(tuple(platforms))) is not None

    async def block(self, delivery: Delivery, seconds: float, pace: Pace = UNPACED) -> None:
        """Pauses for all processes what has the slot of this row, because the platform asked for
        it.
        """
        rate = pace.rate(delivery.op)
        ahead = rate.seconds * (rate.burst + rate.reserve)
        until = self._later(seconds + ahead)
        slot = slot_of(delivery.place, delivery.op, delivery.debate, pace)
        await self._db.write(lambda conn: block_slot(conn, slot, until))

    def _later(self, seconds: float, op: str = "") -> Instant:
        """A platform that asks for more than an hour gets the next try after one."""
        return later(self._db.moment(), seconds, longest(op))

    async def renew(self, delivery: Delivery) -> float:
        """Renews the claim and returns the moment of ``time.monotonic()`` until which it lasts; a
        past one when it was lost.

        It is counted from before the query: a process that is frozen while it waits
        for the answer sees its time gone.
        """
        asked_at = time.monotonic()
        now = self._db.moment()
        held = await self._db.write(lambda conn: self._lease.renew(conn, delivery, now))
        if held:
            return asked_at + self.lease.total_seconds()
        return asked_at

    async def mark_part(self, delivery: Delivery, done: Sequence[str]) -> bool:
        """Records that some parts of a long post have arrived; a later attempt continues after
        them.
        """
        return await self._mark(delivery, done=list(done))

    async def mark_partly_sent(self, delivery: Delivery, arrived: Ref, subject: str | None) -> bool:
        """Records that the first parts have arrived, and renews the claim, since the rest follows:
        reactions and replies can refer to these already, and a later attempt continues after them.
        ``subject`` is as for ``mark_sent``. False if the claim was lost.
        """
        messages = _messages(delivery, arrived, subject, self._db.now())
        until = self._db.moment() + self.lease
        return await self._mark(delivery, messages, done=list(arrived.ids), next_at=until)

    async def mark_sent(
        self,
        delivery: Delivery,
        arrived: Ref,
        subject: str | None = None,
        then: Outgoing | None = None,
    ) -> bool:
        """Records that the post has arrived. In the same commit its messages are stored, so that
        reactions and replies reach the debate: reactions vote on ``subject``, None on nothing.
        ``then`` follows.
        """
        ref = {"place": delivery.place, "thread": arrived.thread, "ids": list(arrived.ids)}
        messages = _messages(delivery, arrived, subject, self._db.now())
        return await self._mark(
            delivery,
            messages,
            then,
            state=RowState.SENT,
            ref=ref,
            done=list(arrived.ids),
            reason="",
        )

    async def retry_later(self, delivery: Delivery, after: float, reason: str) -> bool:
        """Sends again in ``after`` seconds a post that certainly did not arrive."""
        until = self._later(after, delivery.op)

        def work(conn: sa.Connection) -> bool:
            values = {"state": RowState.PENDING, "next_at": until, "reason": reason}
            if not self._lease.change(conn, delivery, **values):
                return False
            if delivery.op not in (*REACTIONS, *EDITS):
                put_off_followers(conn, delivery, until)
            return True

        return await self._db.write(work)

    async def mark_dead(
        self,
        delivery: Delivery,
        reason: str,
        *,
        unread: Command | None = None,
        tell: Outgoing | None = None,
    ) -> bool:
        """Records that the post can never arrive (the channel is gone, we were removed); ``tell``
        says so.

        If it was the debate's first message and no other place has one, the command ``unread`` is
        given to the debate in the same commit.
        """
        now = self._db.now()

        def work(conn: sa.Connection) -> bool:
            if not self._lease.settle(conn, delivery, state=RowState.DEAD, reason=reason):
                return False
            if tell is not None:
                insert_posts(conn, delivery.debate, [tell], now)
            if unread is not None and _unread(conn, delivery.debate, delivery.key):
                first = delivery.first_attempt_at.isoformat()
                source = f"unread:{delivery.place}:{delivery.key}:{first}"
                insert_command(conn, delivery.debate, unread, source, now)
            return True

        return await self._db.write(work)

    async def is_unread(self, debate: str, root: str) -> bool:
        """True if a debate's first message, with the key ``root``, is dead wherever it lives. A
        debate of a shell is read there.
        """
        return await self._db.read(lambda conn: _unread(conn, debate, root))

    async def is_on_its_way(self, debate: str, key: str) -> bool:
        """True if a debate's post waits to be sent and was sent nowhere yet."""
        mine = sa.and_(OUTBOX.c.debate_id == debate, OUTBOX.c.key == key)
        query = sa.select(OUTBOX.c.state).where(mine)
        states = set(await self._db.column(query))
        return bool(states & {RowState.PENDING, RowState.SENDING}) and RowState.SENT not in states

    async def verify_later(self, delivery: Delivery, after: float, reason: str) -> bool:
        """Has a post that may have arrived looked up in ``after`` seconds, as ``unconfirmed``,
        before anything is sent again.
        """
        return await self._mark(delivery, next_at=self._later(after, delivery.op), reason=reason)

    async def mark_uncertain(self, delivery: Delivery, reason: str, ask: Outgoing | None) -> bool:
        """Records that the post may have arrived and nobody can tell: it is not sent again blindly,
        and ``ask`` asks a person, who decides (``repost``).
        """
        return await self._mark(delivery, then=ask, state=RowState.UNCERTAIN, reason=reason)

    async def repost(self, place: str, key: str) -> bool:
        """Sends a dead or uncertain post again, as a person wants, with those that died with it;
        False if it is neither.
        """
        states = (RowState.DEAD, RowState.UNCERTAIN)
        revived = await self._db.write(lambda conn: revive(conn, place, key, states))
        if revived:
            self.wake_event.set()
        return revived

    async def recover(self) -> int:
        """Releases the claims of a dead process when the only process on a database starts, so that
        rows left in ``sending`` are unconfirmed at once. Rows that wait longer than any row may are
        released, too: their process had a wrong clock.
        """
        over = OUTBOX.c.next_at > self._db.moment() + longest(PostOp.WEBHOOK)
        expire = sa.update(OUTBOX).where(OPEN, sa.or_(OUTBOX.c.state == RowState.SENDING, over))
        expire = expire.values(next_at=AT_ONCE)
        return await self._db.change(expire)

    async def find_sent(self, place: str, key: str) -> Ref | None:
        """Returns the messages of the post with this key in this place, None if there are none."""
        query = sa.select(OUTBOX.c.ref).where(OUTBOX.c.place == place, OUTBOX.c.key == key)
        ref = await self._db.scalar(query)
        if ref is None:
            return None
        return Ref(place, ref["thread"], tuple(ref["ids"]))

    async def is_taken_over(self, debate: str, ref: Ref) -> bool:
        """True if a later debate shows its state in these messages, because it continues in their
        thread.
        """
        mine = sa.select(DEBATE.c.created_at).where(DEBATE.c.id == debate)
        query = (
            sa.select(MESSAGE.c.message)
            .join_from(MESSAGE, DEBATE, MESSAGE.c.debate_id == DEBATE.c.id)
            .where(
                MESSAGE.c.place == ref.place,
                MESSAGE.c.message.in_(ref.ids),
                DEBATE.c.created_at > mine.scalar_subquery(),
            )
        )
        return bool(await self._db.scalar(query.limit(1)))

    async def is_sending(self, place: str) -> bool:
        """True if a post to this place is being sent: it may already be there without a record of
        it.
        """
        sending = sa.and_(
            OUTBOX.c.place == place, OUTBOX.c.state == RowState.SENDING, OUTBOX.c.op == PostOp.POST
        )
        query = sa.select(OUTBOX.c.id).where(sending).limit(1)
        return await self._db.scalar(query) is not None

    async def count_backlog(
        self, debate: str = "", *, within: str = "", outside: str = ""
    ) -> Backlog:
        """Counts the posts that wait: all, those of one debate, and of these only those ``within``
        a platform or those of any other (``outside``).
        """
        mine: list[sa.ColumnElement[bool]] = []
        if debate:
            mine.append(OUTBOX.c.debate_id == debate)
        if within:
            mine.append(OUTBOX.c.place.startswith(f"{within}:", autoescape=True))
        if outside:
            mine.append(~OUTBOX.c.place.startswith(f"{outside}:", autoescape=True))
        open_ones = sa.select(sa.func.count(), sa.func.min(OUTBOX.c.created_at)).where(OPEN, *mine)
        undecided = sa.select(sa.func.count()).where(UNCERTAIN, *mine)

        def work(conn: sa.Connection) -> tuple[int, datetime | None, int]:
            return (*conn.execute(open_ones).one(), conn.execute(undecided).scalar_one())

        waiting, oldest, uncertain = await self._db.read(work)
        return Backlog(
            waiting, (self._db.now() - oldest).total_seconds() if oldest else 0.0, uncertain
        )

    async def _mark(
        self,
        delivery: Delivery,
        messages: list[dict[str, Any]] | None = None,
        then: Outgoing | None = None,
        **values: Any,
    ) -> bool:
        """Commits ``values`` on the row, its messages, and a following post together; False if the
        claim was lost. The messages that an edit left belong to the post that it changed.
        """
        now = self._db.now()

        def work(conn: sa.Connection) -> bool:
            if not self._lease.change(conn, delivery, **values):
                return False
            if delivery.op in EDITS and "done" in values:
                _replace_messages(conn, delivery, values["done"])
            if messages:
                put(conn, upsert(conn, MESSAGE), messages)
            if then is not None:
                insert_posts(conn, delivery.debate, [then], now)
            return True

        return await self._db.write(work)


def _messages(
    delivery: Delivery, arrived: Ref, subject: str | None, now: datetime
) -> list[dict[str, Any]]:
    """Returns the rows that identify the parts of a post; emoji rows make no message."""
    if delivery.op in REACTIONS:
        return []
    key = delivery.target if delivery.op in EDITS else delivery.key
    common = {
        "place": delivery.place,
        "thread": arrived.thread,
        "debate_id": delivery.debate,
        "key": key,
        "subject": subject,
        "at": now,
    }
    return [{**common, "message": id} for id in arrived.ids]


def _replace_messages(conn: sa.Connection, edit: Delivery, ids: Sequence[str]) -> None:
    changed = sa.and_(OUTBOX.c.place == edit.place, OUTBOX.c.key == edit.target)
    ref = conn.execute(sa.select(OUTBOX.c.ref).where(changed)).scalar()
    if ref is not None and ref["ids"] != ids:
        conn.execute(sa.update(OUTBOX).where(changed).values(ref={**ref, "ids": ids}))


def _unread(conn: sa.Connection, debate: str, root: str) -> bool:
    home = conn.execute(sa.select(DEBATE.c.place).where(DEBATE.c.id == debate)).scalar()
    rows = conn.execute(
        sa.select(OUTBOX.c.place, OUTBOX.c.state).where(
            OUTBOX.c.debate_id == debate, OUTBOX.c.key == root
        )
    )
    states: dict[str, str] = {row.place: row.state for row in rows}
    return home in states and set(states.values()) == {RowState.DEAD}
