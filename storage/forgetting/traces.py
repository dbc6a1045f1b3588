"""Finds the words of a debate outside its own events: other debates that name it, messages on
platforms, posts on a forge.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from storage.database import Database
from storage.tables import DEBATE, EVENT, FORGE_POST, MESSAGE

_BEGINNING = 2
"""The kinds of events that say what a debate is made of: its request and its opening."""


class Traces:
    """Finds the traces of debates in one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find_naming(self, debate: str) -> Sequence[str]:
        """Returns other debates in whose request or opening the id of this one stands, the oldest
        first.
        """
        text = sa.cast(EVENT.c.payload, sa.Text)
        named = sa.select(EVENT.c.debate_id).where(
            EVENT.c.seq < _BEGINNING, text.contains(f'"{debate}"', autoescape=True)
        )
        query = (
            sa.select(DEBATE.c.id)
            .where(DEBATE.c.id != debate, DEBATE.c.id.in_(named))
            .order_by(DEBATE.c.created_at, DEBATE.c.id)
        )
        return list(await self._db.read(lambda conn: conn.execute(query).scalars().all()))

    async def count_messages(self, debate: str) -> Sequence[tuple[str, int]]:
        """Counts our messages about a debate, by their place."""
        query = (
            sa.select(MESSAGE.c.place, sa.func.count())
            .where(MESSAGE.c.debate_id == debate)
            .group_by(MESSAGE.c.place)
            .order_by(MESSAGE.c.place)
        )
        rows = await self._db.read(lambda conn: conn.execute(query).all())
        return [(str(place), int(count)) for place, count in rows]

    async def find_written(self, debate: str) -> Sequence[str]:
        """Returns the links of the pull requests to which something of a debate was written."""
        query = (
            sa.select(FORGE_POST.c.link)
            .where(FORGE_POST.c.debate_id == debate, FORGE_POST.c.state.in_(("sent", "sending")))
            .distinct()
            .order_by(FORGE_POST.c.link)
        )
        return list(await self._db.read(lambda conn: conn.execute(query).scalars().all()))
