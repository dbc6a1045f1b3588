"""Queues the posts to forges: each is stored before it is sent, sent by one replica at a time, and
looked up before it is sent again.

A row goes pending -> sending -> sent. ``sending`` is stored before anything leaves, so after a
crash the next holder knows that the post may have arrived. A claim is a lease; a holder that slept
through it learns of it (``hold``) before it sends.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from core.log import ForgePostKind
from storage.audit import Act, actor, append_act
from storage.database import Database, inserted
from storage.database.clock import AT_ONCE
from storage.leases import Lease, RowState, later
from storage.tables import FORGE_POST

_OPEN = (RowState.PENDING, RowState.SENDING)
LEASE = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class ForgePost:
    """A post to a forge: ``key`` is unique for ever; ``link`` is the pull request; ``by`` who
    approved it ("" if no approval is needed).
    """

    key: str
    debate: str
    kind: str  # a `ForgePostKind`, or one of a later release
    link: str
    body: Mapping[str, Any]
    by: str = ""


@dataclass(frozen=True, slots=True)
class ClaimedPost:
    """``unconfirmed``: an earlier try may have arrived; ``until`` is when the claim ends, by this
    process's own clock.
    """

    post: ForgePost
    owner: str
    attempt: int
    unconfirmed: bool
    ref: Mapping[str, Any] = field(default_factory=dict)
    until: float = 0.0

    @property
    def key(self) -> str:
        return self.post.key

    @property
    def held(self) -> bool:
        return time.monotonic() < self.until

    @property
    def row(self) -> str:
        return self.key


@dataclass(frozen=True, slots=True)
class PostState:
    """The state of a post."""

    post: ForgePost
    state: str
    ref: Mapping[str, Any]
    reason: str


class ForgePosts:
    """The posts of one database; ``wake_event`` is set when this process has stored one."""

    def __init__(self, database: Database, lease: timedelta = LEASE) -> None:
        self._db = database
        self._lease = Lease(FORGE_POST, lease, _OPEN)
        self.wake_event = asyncio.Event()

    async def add(self, *posts: ForgePost) -> int:
        """Stores posts durably, all or none, and counts the new ones. One that was given up is
        tried again.
        """
        now = self._db.now()

        def work(conn: sa.Connection) -> int:
            fresh = 0
            for post in posts:
                row = {
                    "key": post.key, "debate_id": post.debate, "kind": post.kind,
                    "link": post.link, "body": dict(post.body), "by": post.by,
                    "state": RowState.PENDING, "at": now, "next_at": AT_ONCE, "claimed_by": "",
                    "attempts": 0, "reason": "",
                }  # fmt: skip
                if inserted(conn, FORGE_POST, row, "key"):
                    fresh += 1
                    act = Act("post to a forge", post.debate, {"kind": post.kind})
                    append_act(conn, actor(post.by), act, now)
                    continue
                again = {
                    "state": RowState.PENDING, "body": dict(post.body), "by": post.by,
                    "next_at": AT_ONCE, "attempts": 0, "reason": "",
                }  # fmt: skip
                gone = sa.update(FORGE_POST).where(
                    FORGE_POST.c.key == post.key, FORGE_POST.c.state == RowState.DEAD
                )
                fresh += conn.execute(gone.values(**again)).rowcount
            return fresh

        fresh = await self._db.write(work)
        if fresh:
            self.wake_event.set()
        return fresh

    async def claim(self, owner: str, limit: int = 4) -> list[ClaimedPost]:
        """Claims the oldest posts that no process holds; they are ``sending`` from here on.

        A debate's checks go one after the other, as the newer one changes the one that the older
        one made, and so do its amendments, after the reviews that they change.
        """
        now = self._db.moment()
        until = time.monotonic() + self._lease.length.total_seconds() * 0.8
        before = FORGE_POST.alias()
        check, review = ForgePostKind.CHECK, ForgePostKind.REVIEW
        amendment = ForgePostKind.AMENDMENT
        waits = sa.exists().where(
            sa.or_(
                sa.and_(FORGE_POST.c.kind == check, before.c.kind == check),
                sa.and_(FORGE_POST.c.kind == amendment, before.c.kind.in_((review, amendment))),
            ),
            before.c.debate_id == FORGE_POST.c.debate_id,
            before.c.state.in_(_OPEN),
            before.c.at < FORGE_POST.c.at,
        )

        def work(conn: sa.Connection) -> list[ClaimedPost]:
            rows = self._lease.claim(conn, owner, now, limit, ~waits, state=RowState.SENDING)
            return [_claimed(row, owner, until) for row in rows]

        return await self._db.write(work)

    async def sent(self, claimed: ClaimedPost, ref: Mapping[str, Any]) -> bool:
        return await self._settle(claimed, state=RowState.SENT, ref=dict(ref), reason="")

    async def retry(
        self, claimed: ClaimedPost, after: float, reason: str, *, unconfirmed: bool
    ) -> bool:
        """Puts the post off for ``after`` seconds. An ``unconfirmed`` one may have arrived, so it
        is looked up before it is sent again.
        """
        at = later(self._db.moment(), after)
        state = RowState.SENDING if unconfirmed else RowState.PENDING
        return await self._settle(claimed, state=state, next_at=at, reason=reason)

    async def dead(self, claimed: ClaimedPost, reason: str) -> bool:
        return await self._settle(claimed, state=RowState.DEAD, reason=reason)

    async def note(self, claimed: ClaimedPost, body: Mapping[str, Any]) -> bool:
        """Replaces the text of a post that is not sent yet (its lines were refused)."""
        return await self._settle(claimed, state=RowState.PENDING, body=dict(body), next_at=AT_ONCE)

    async def of(self, debate: str) -> Sequence[PostState]:
        """Returns a debate's posts, oldest first."""
        query = (
            sa.select(FORGE_POST)
            .where(FORGE_POST.c.debate_id == debate)
            .order_by(FORGE_POST.c.at, FORGE_POST.c.key)
        )
        rows = await self._db.read(lambda conn: conn.execute(query).all())
        return [PostState(_post(row), row.state, row.ref or {}, row.reason) for row in rows]

    async def open(self) -> int:
        """Counts the posts that wait to be sent."""
        query = sa.select(sa.func.count()).where(FORGE_POST.c.state.in_(_OPEN))
        return int(await self._db.read(lambda conn: conn.execute(query).scalar_one()))

    async def _settle(self, claimed: ClaimedPost, **values: Any) -> bool:
        """Changes the row and says so, unless the claim was lost meanwhile."""
        done = await self._db.write(lambda conn: self._lease.settle(conn, claimed, **values))
        if values["state"] == RowState.PENDING:
            self.wake_event.set()
        return done


def _post(row: Any) -> ForgePost:
    return ForgePost(row.key, row.debate_id, row.kind, row.link, row.body, row.by)


def _claimed(row: Any, owner: str, until: float) -> ClaimedPost:
    unconfirmed = row.state == RowState.SENDING
    return ClaimedPost(_post(row), owner, row.attempts + 1, unconfirmed, row.ref or {}, until)
