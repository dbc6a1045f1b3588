"""Stores the work of deleting the texts of forgotten debates on platforms.

A chat's messages are one piece of work for each place. A post to a forge is deleted by its own row,
which becomes a removal: its target and the forge's id of it are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from storage.audit import Act, actor, append_act
from storage.database import Database
from storage.database.clock import AT_ONCE
from storage.leases import RowState
from storage.tables import MESSAGE, WORK
from storage.work import POSTS, Work, WorkQueue, WorkRow, insert_work, read_row

_REMOVES = "remove_"


def removal_of(kind: str) -> str:
    """Returns the kind of work that deletes what a kind of post wrote, or a platform's messages."""
    return f"{_REMOVES}{kind}"


class Removals:
    """The removals of one database."""

    def __init__(self, database: Database, queue: WorkQueue) -> None:
        self._db = database
        self._queue = queue

    async def add(self, debates: Sequence[str]) -> int:
        """Stores durably that everything of these debates on platforms is to be deleted, and counts
        the pending deletions. One that a platform refused is tried again.
        """
        now, by = self._db.now(), actor()

        def work(conn: sa.Connection) -> int:
            count = 0
            for debate in debates:
                places = conn.execute(_places(debate)).scalars().all()
                for place in places:
                    kind = removal_of(place.partition(":")[0])
                    piece = Work(f"chat:{debate}:{place}", kind, {}, debate, place)
                    insert_work(conn, piece, now, (RowState.DEAD, RowState.DONE))
                wanted = len(places) + _remove_posts(conn, debate)
                if wanted:
                    append_act(conn, by, Act("delete on platforms", debate), now)
                count += wanted
            return count

        count = await self._db.write(work)
        if count:
            self._queue.wake_event.set()
        return count

    async def forget_message(self, row: WorkRow, message: str) -> bool:
        """Records that one message is deleted, so that it is not deleted again after a crash.
        Returns False if another process continues with the others.
        """
        mine = sa.delete(MESSAGE).where(
            MESSAGE.c.place == row.work.target,
            MESSAGE.c.message == message,
            MESSAGE.c.debate_id == row.work.debate,
        )

        def work(conn: sa.Connection) -> bool:
            conn.execute(mine)
            return self._queue.renew(conn, row)

        return await self._db.write(work)

    async def remainders(self, debates: Sequence[str]) -> list[WorkRow]:
        """Returns the removals of these debates that wait, were given up, or left something."""
        query = (
            sa.select(WORK)
            .where(WORK.c.debate_id.in_(debates))
            .where(WORK.c.kind.startswith(_REMOVES, autoescape=True))
            .where(sa.or_(WORK.c.state != RowState.DONE, WORK.c.reason != ""))
            .order_by(WORK.c.at, WORK.c.key)
        )
        rows = await self._db.rows(query)
        return [read_row(row) for row in rows]


def _places(debate: str) -> sa.Select[Any]:
    places = sa.select(MESSAGE.c.place).where(MESSAGE.c.debate_id == debate)
    return places.distinct().order_by(MESSAGE.c.place)


def _remove_posts(conn: sa.Connection, debate: str) -> int:
    """Makes removals of a debate's posts that were sent, and of those whose removal was refused."""
    count = 0
    for kind in sorted(POSTS):
        sent = sa.and_(WORK.c.kind == kind, WORK.c.state == RowState.DONE)
        refused = sa.and_(WORK.c.kind == removal_of(kind), WORK.c.state == RowState.DEAD)
        mine = sa.update(WORK).where(WORK.c.debate_id == debate, sa.or_(sent, refused))
        again = {"state": RowState.PENDING, "attempts": 0, "next_at": AT_ONCE, "reason": ""}
        count += conn.execute(mine.values(kind=removal_of(kind), **again)).rowcount
    return count
