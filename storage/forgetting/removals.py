"""Queues deletions on platforms for forgotten debates: stored before anything is deleted, done by
one process at a time, resumed after a crash.

A claim is a lease. Deleting a message twice does no harm, so nothing is looked up first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from storage.audit import Act, actor, append_act
from storage.database import Database, inserted
from storage.database.clock import AT_ONCE
from storage.leases import Lease, RowState, later
from storage.tables import DEBATE, FORGE_POST, MESSAGE, REMOVAL

LEASE = timedelta(seconds=120)


class RemovalKind(StrEnum):
    CHAT = "chat"
    FORGE = "forge"


@dataclass(frozen=True, slots=True)
class ForgeText:
    """A text that was written to a pull request: ``kind`` and ``ref`` as its post has them,
    ``place`` decides whose credential is used.
    """

    kind: str
    link: str
    place: str
    ref: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Removal:
    """A claimed row; ``target`` is a place or the key of a forge's post, ``text`` the latter's
    text.
    """

    key: str
    debate: str
    kind: RemovalKind
    target: str
    owner: str
    attempt: int
    text: ForgeText | None = None

    @property
    def row(self) -> str:
        return self.key


@dataclass(frozen=True, slots=True)
class Remainder:
    """A text that is not deleted yet (``waiting``), or that stays; ``reason`` is the platform's."""

    target: str
    reason: str
    waiting: bool


class Removals:
    """The removals of one database; ``wake_event`` is set when this process has stored one."""

    def __init__(self, database: Database, lease: timedelta = LEASE) -> None:
        self._db = database
        self._lease = Lease(REMOVAL, lease, (RowState.PENDING,))
        self.wake_event = asyncio.Event()

    async def add(self, debates: Sequence[str]) -> int:
        """Stores durably that everything of these debates on platforms is to be deleted, and counts
        the pending deletions. One that a platform refused is tried again.
        """
        now, by = self._db.now(), actor()

        def work(conn: sa.Connection) -> int:
            count = 0
            for debate in debates:
                wanted = [*_messages(conn, debate), *_texts(conn, debate)]
                for kind, target in wanted:
                    _put(conn, debate, kind, target, now)
                if wanted:
                    append_act(conn, by, Act("delete on platforms", debate), now)
                count += len(wanted)
            return count

        count = await self._db.write(work)
        if count:
            self.wake_event.set()
        return count

    async def claim(self, owner: str, platforms: Collection[str], limit: int = 4) -> list[Removal]:
        """Claims the oldest rows that no process holds; those in chats only where their platform is
        among ``platforms``, to which this process is connected.
        """
        now = self._db.moment()
        reachable = [REMOVAL.c.target.startswith(f"{one}:", autoescape=True) for one in platforms]
        here = sa.or_(REMOVAL.c.kind == RemovalKind.FORGE, *reachable)
        waiting = self._lease.due(now, 1, here)

        def work(conn: sa.Connection) -> list[Removal]:
            rows = self._lease.claim(conn, owner, now, limit, here)
            return [_removal(conn, row, owner) for row in rows]

        if not await self._db.read(lambda conn: conn.execute(waiting).first()):
            return []
        return await self._db.write(work)

    async def renew(self, removal: Removal) -> bool:
        """Renews the claim before work on it begins; False if another process holds it by now."""
        now = self._db.moment()
        return await self._db.write(lambda conn: self._lease.renew(conn, removal, now))

    async def forget_message(self, removal: Removal, message: str) -> None:
        """Records that one message is deleted, so that it is not deleted again after a crash."""
        mine = sa.delete(MESSAGE).where(
            MESSAGE.c.place == removal.target,
            MESSAGE.c.message == message,
            MESSAGE.c.debate_id == removal.debate,
        )
        await self._db.write(lambda conn: conn.execute(mine).rowcount)

    async def done(self, removal: Removal, retained: str = "") -> bool:
        """Records the deletion; ``retained`` says what the platform retains all the same."""
        gone = sa.update(FORGE_POST).where(FORGE_POST.c.key == removal.target)

        def work(conn: sa.Connection) -> bool:
            if not self._lease.settle(conn, removal, state=RowState.DONE, reason=retained):
                return False
            if removal.kind is RemovalKind.FORGE:
                conn.execute(gone.values(state=RowState.REMOVED, ref=None))
            return True

        return await self._db.write(work)

    async def retry(self, removal: Removal, after: float, reason: str) -> bool:
        at = later(self._db.moment(), after)
        return await self._db.write(
            lambda conn: self._lease.settle(conn, removal, next_at=at, reason=reason)
        )

    async def refused(self, removal: Removal, reason: str) -> bool:
        return await self._db.write(
            lambda conn: self._lease.settle(conn, removal, state=RowState.REFUSED, reason=reason)
        )

    async def remainders(self, debates: Sequence[str]) -> list[Remainder]:
        """Returns what of these debates waits to be deleted on platforms, or stays there."""
        label = sa.func.coalesce(FORGE_POST.c.link, REMOVAL.c.target).label("where")
        query = (
            sa.select(label, REMOVAL.c.reason, REMOVAL.c.state)
            .select_from(REMOVAL.outerjoin(FORGE_POST, FORGE_POST.c.key == REMOVAL.c.target))
            .where(REMOVAL.c.debate_id.in_(debates))
            .where(sa.or_(REMOVAL.c.state != RowState.DONE, REMOVAL.c.reason != ""))
            .order_by(REMOVAL.c.at, REMOVAL.c.key)
        )
        rows = await self._db.read(lambda conn: conn.execute(query).all())
        return [Remainder(row.where, row.reason, row.state == RowState.PENDING) for row in rows]


def _messages(conn: sa.Connection, debate: str) -> list[tuple[RemovalKind, str]]:
    places = sa.select(MESSAGE.c.place).where(MESSAGE.c.debate_id == debate).distinct()
    return [
        (RemovalKind.CHAT, place)
        for place in conn.execute(places.order_by(MESSAGE.c.place)).scalars()
    ]


def _texts(conn: sa.Connection, debate: str) -> list[tuple[RemovalKind, str]]:
    keys = (
        sa.select(FORGE_POST.c.key)
        .where(FORGE_POST.c.debate_id == debate, FORGE_POST.c.state == RowState.SENT)
        .order_by(FORGE_POST.c.key)
    )
    return [(RemovalKind.FORGE, key) for key in conn.execute(keys).scalars()]


def _put(conn: sa.Connection, debate: str, kind: RemovalKind, target: str, now: datetime) -> None:
    key = f"{kind}:{debate}:{target}"
    row = {
        "key": key, "debate_id": debate, "kind": kind, "target": target, "at": now,
        "state": RowState.PENDING, "claimed_by": "", "attempts": 0, "next_at": AT_ONCE,
        "reason": "",
    }  # fmt: skip
    if inserted(conn, REMOVAL, row, "key"):
        return
    over = sa.update(REMOVAL).where(REMOVAL.c.key == key, REMOVAL.c.state != RowState.PENDING)
    again = {"state": RowState.PENDING, "attempts": 0, "next_at": AT_ONCE, "reason": ""}
    conn.execute(over.values(**again))


def _removal(conn: sa.Connection, row: Any, owner: str) -> Removal:
    kind = RemovalKind(row.kind)
    text = None
    if kind is RemovalKind.FORGE:
        written = sa.select(
            FORGE_POST.c.kind, FORGE_POST.c.link, FORGE_POST.c.ref, DEBATE.c.place
        ).join_from(FORGE_POST, DEBATE, DEBATE.c.id == FORGE_POST.c.debate_id)
        one = conn.execute(written.where(FORGE_POST.c.key == row.target)).one()
        text = ForgeText(one.kind, one.link, one.place, one.ref or {})
    return Removal(row.key, row.debate_id, kind, row.target, owner, row.attempts + 1, text)
