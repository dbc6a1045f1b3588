"""Queues the events of forges: each is stored before the forge is told "taken", and handled once,
by the first free replica.

A claim is a lease: when its holder dies, the event is claimed again, so handling one twice must do
no harm. Rows are retained for longer than any forge redelivers, and then deleted; their content
(names, comments) is deleted as soon as they are settled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from storage.database import Database, inserted, upsert
from storage.database.clock import AT_ONCE
from storage.leases import Lease, RowState, later
from storage.tables import FORGE_EVENT, WATCH

LEASE = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class TakenEvent:
    """A claimed event. ``attempt`` counts from 1."""

    key: str
    payload: Mapping[str, Any]
    attempt: int
    owner: str

    @property
    def row(self) -> str:
        return self.key


@dataclass(frozen=True, slots=True)
class PollProgress:
    """The progress of polling a repository."""

    tags: Mapping[str, str]
    seen: Mapping[str, Any]
    at: datetime | None


class ForgeEvents:
    """The events of one database; ``wake_event`` is set when this process has stored one."""

    def __init__(self, database: Database, lease: timedelta = LEASE) -> None:
        self._db = database
        self._lease = Lease(FORGE_EVENT, lease)
        self.wake_event = asyncio.Event()

    async def add(self, key: str, payload: Mapping[str, Any]) -> bool:
        """Stores an event durably; False if it was delivered before."""
        now = self._db.now()
        row = {
            "key": key, "payload": dict(payload), "state": RowState.PENDING, "at": now,
            "next_at": AT_ONCE,
            "claimed_by": "", "attempts": 0, "reason": "",
        }  # fmt: skip
        fresh = await self._db.write(lambda conn: inserted(conn, FORGE_EVENT, row, "key"))
        if fresh:
            self.wake_event.set()
        return fresh

    async def claim(self, owner: str, limit: int = 8) -> list[TakenEvent]:
        """Claims the oldest events that no process holds."""
        now = self._db.moment()
        rows = await self._db.write(lambda conn: self._lease.claim(conn, owner, now, limit))
        return [TakenEvent(row.key, row.payload, row.attempts + 1, owner) for row in rows]

    async def renew(self, event: TakenEvent) -> bool:
        """Renews the claim before work on an event begins; False if another process holds it by
        now.
        """
        now = self._db.moment()
        return await self._db.write(lambda conn: self._lease.renew(conn, event, now))

    async def done(self, event: TakenEvent, reason: str = "") -> None:
        await self._settle(event, state=RowState.DONE, payload={}, reason=reason)

    async def dead(self, event: TakenEvent, reason: str) -> None:
        """Gives up an event that can't be handled, with the reason."""
        await self._settle(event, state=RowState.DEAD, payload={}, reason=reason)

    async def retry(self, event: TakenEvent, after: float, reason: str) -> None:
        at = later(self._db.moment(), after)
        await self._settle(event, state=RowState.PENDING, reason=reason, next_at=at)

    async def states(self) -> dict[str, int]:
        """Counts the events by state."""
        query = sa.select(FORGE_EVENT.c.state, sa.func.count()).group_by(FORGE_EVENT.c.state)
        rows = await self._db.read(lambda conn: conn.execute(query).all())
        return {str(state): int(count) for state, count in rows}

    async def reasons(self) -> Mapping[str, str]:
        """Returns by key why events were given up or led to nothing."""
        query = sa.select(FORGE_EVENT.c.key, FORGE_EVENT.c.reason).where(FORGE_EVENT.c.reason != "")
        rows = await self._db.read(lambda conn: conn.execute(query).all())
        return {row.key: row.reason for row in rows}

    async def forget(self, before: datetime) -> int:
        """Deletes the events that were settled before then, and counts them."""
        drop = sa.delete(FORGE_EVENT).where(
            FORGE_EVENT.c.at < before, FORGE_EVENT.c.state != RowState.PENDING
        )
        return await self._db.write(lambda conn: conn.execute(drop).rowcount)

    async def watch(self, host: str, repository: str) -> PollProgress:
        query = sa.select(WATCH).where(
            WATCH.c.host == host, WATCH.c.repository == repository.lower()
        )
        row = await self._db.read(lambda conn: conn.execute(query).one_or_none())
        if row is None:
            return PollProgress({}, {}, None)
        return PollProgress(row.tags, row.seen, row.at)

    async def take_watch(self, host: str, repository: str, every: timedelta) -> bool:
        """True if this replica polls now: True for one of them, once in ``every``."""
        now = self._db.now()
        row = {"host": host, "repository": repository.lower(), "tags": {}, "seen": {}, "at": now}
        again = (
            sa.update(WATCH)
            .where(WATCH.c.host == host, WATCH.c.repository == repository.lower())
            .where(sa.or_(WATCH.c.at <= now - every, WATCH.c.at > now))  # a clock was set back
            .values(at=now)
        )

        def work(conn: sa.Connection) -> bool:
            fresh = inserted(conn, WATCH, row, "host", "repository")
            return fresh or bool(conn.execute(again).rowcount)

        return await self._db.write(work)

    async def keep_watch(
        self, host: str, repository: str, tags: Mapping[str, str], seen: Mapping[str, Any]
    ) -> None:
        row = {
            "host": host, "repository": repository.lower(), "tags": dict(tags),
            "seen": dict(seen), "at": self._db.now(),
        }  # fmt: skip
        await self._db.write(lambda conn: conn.execute(upsert(conn, WATCH), row).rowcount)

    async def _settle(self, event: TakenEvent, **values: Any) -> None:
        """Changes the row unless the claim was lost meanwhile."""
        await self._db.write(lambda conn: self._lease.settle(conn, event, **values))
