"""Stores webhooks: which addresses receive which debates. Their deliveries wait in the outbox, at
the place ``hook:ID``, and leave through the same lease as every post.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from core.application.webhooks import Hook, Sent
from storage.database import Database
from storage.database.clock import AT_ONCE
from storage.leases import RowState
from storage.tables import HOOK, OUTBOX

_AGAIN = (RowState.SENT, RowState.DEAD)
_LISTENING = (
    sa.select(HOOK)
    .where(HOOK.c.ended == "", HOOK.c.place.in_(sa.bindparam("places", expanding=True)))
    .order_by(HOOK.c.id)
)


class Hooks:
    """The webhooks of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(
        self, place: str, address: str, kinds: Sequence[str], person: str, *, full: bool
    ) -> Hook:
        row = {
            "id": secrets.token_hex(4), "place": place, "address": address, "kinds": list(kinds),
            "full": full, "made_by": person, "created_at": self._db.now(), "generation": 1,
            "rotated_at": None, "ended": "",
        }  # fmt: skip
        await self._db.change(sa.insert(HOOK).values(**row))
        return _hook(row)

    async def load(self, place: str | None = None) -> list[Hook]:
        """Returns the webhooks of one place, or all; the oldest first."""
        query = sa.select(HOOK).order_by(HOOK.c.created_at, HOOK.c.id)
        if place is not None:
            query = query.where(HOOK.c.place == place)
        rows = await self._db.read(lambda conn: conn.execute(query).mappings().all())
        return [_hook(row) for row in rows]

    async def find(self, id: str) -> Hook | None:
        query = sa.select(HOOK).where(HOOK.c.id == id)
        rows = await self._db.read(lambda conn: conn.execute(query).mappings().all())
        return next(map(_hook, rows), None)

    async def listening(self, debate: str, places: Collection[str]) -> list[tuple[Hook, int]]:
        """Returns the webhooks that receive a debate in these places, each with the number of its
        messages so far: the debate's one writer counts on from there.
        """
        within = {"places": ["", *places]}

        def work(conn: sa.Connection) -> list[tuple[Hook, int]]:
            hooks = [_hook(row) for row in conn.execute(_LISTENING, within).mappings()]
            if not hooks:
                return []
            counted = (
                sa.select(OUTBOX.c.place, sa.func.count())
                .where(OUTBOX.c.debate_id == debate)
                .where(OUTBOX.c.place.in_([hook.outbox for hook in hooks]))
                .group_by(OUTBOX.c.place)
            )
            given = {place: int(count) for place, count in conn.execute(counted)}
            return [(hook, given.get(hook.outbox, 0)) for hook in hooks]

        return await self._db.read(work)

    async def rotate(self, id: str) -> Hook | None:
        """Makes a new secret; the old one also stays valid for a while."""
        now = self._db.now()
        changed = sa.update(HOOK).where(HOOK.c.id == id)
        changed = changed.values(generation=HOOK.c.generation + 1, rotated_at=now)
        await self._db.change(changed)
        return await self.find(id)

    async def end(self, id: str, why: str) -> bool:
        """Sends nothing more to it; False if it had ended already."""
        ended = sa.update(HOOK).where(HOOK.c.id == id, HOOK.c.ended == "").values(ended=why)
        return await self._db.change(ended) > 0

    async def begin_again(self, id: str) -> bool:
        """Sends to an ended webhook again; what it missed is replayed on request."""
        begun = sa.update(HOOK).where(HOOK.c.id == id, HOOK.c.ended != "").values(ended="")
        return await self._db.change(begun) > 0

    async def deliveries(self, hook: Hook, most: int) -> list[Sent]:
        """Returns the deliveries, the newest first."""
        query = (
            sa.select(OUTBOX)
            .where(OUTBOX.c.place == hook.outbox)
            .order_by(OUTBOX.c.id.desc())
            .limit(most)
        )
        rows = await self._db.rows(query)
        return [
            Sent(
                row.body.get("id", ""), row.body.get("kind", ""), row.debate_id, row.state,
                row.attempts, row.reason, row.created_at,
            )
            for row in rows
        ]  # fmt: skip

    async def replay(self, hook: Hook, *, debate: str = "", since: datetime | None = None) -> int:
        """Sends again what was sent or given up: of one debate, or since a moment.

        The bytes and their ids are the same as the first time; deleted deliveries are not sent.
        """
        mine = [OUTBOX.c.place == hook.outbox, OUTBOX.c.state.in_(_AGAIN)]
        if debate:
            mine.append(OUTBOX.c.debate_id == debate)
        if since is not None:
            mine.append(OUTBOX.c.created_at >= since)
        deliveries = sa.select(OUTBOX.c.id, OUTBOX.c.body).where(*mine)
        values = {
            "state": RowState.PENDING, "next_at": AT_ONCE, "first_attempt_at": None,
            "attempts": 0, "reason": "",
        }  # fmt: skip

        def work(conn: sa.Connection) -> int:
            ids = [row.id for row in conn.execute(deliveries) if row.body.get("text")]
            again = sa.update(OUTBOX).where(OUTBOX.c.id.in_(ids)).values(**values)
            return conn.execute(again).rowcount

        count = await self._db.write(work)
        if count:
            self._db.posted.set()
        return count


def _hook(row: Any) -> Hook:
    return Hook(**{**row, "kinds": tuple(row["kinds"])})
