"""Finds the words of a debate outside its own events: other debates that name it, messages on
platforms, posts on a forge.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from storage.database import Database
from storage.leases import RowState
from storage.tables import DEBATE, EVENT, MESSAGE, WORK
from storage.work import POSTS

_BEGINNING = 2
"""The number of events that describe what a debate is made of: its request and its opening."""
_FEW = 4
"""The number of ids up to which the database searches for each of them; it reads every text for
each.
"""
_PAGE = 500


class Traces:
    """Finds the traces of debates in one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find_naming(self, debates: Collection[str]) -> Mapping[str, Sequence[str]]:
        """Returns, for each of some debates, the other debates whose request or opening contains
        its id, the oldest first. All beginnings are read once, regardless of the number of debates.
        """
        naming: dict[str, set[str]] = {debate: set() for debate in debates}
        async for id, text in self._beginnings(debates):
            for debate in naming.keys() & set(text.split('"')) - {id}:
                naming[debate].add(id)
        ages = await self._ages(set().union(*naming.values()))
        return {debate: sorted(ids, key=ages.__getitem__) for debate, ids in naming.items()}

    async def _beginnings(self, debates: Collection[str]) -> AsyncIterator[tuple[str, str]]:
        """Yields the requests and openings as text: only those that name one of the debates if
        these are few, otherwise all, page by page.
        """
        text = sa.cast(EVENT.c.payload, sa.Text)
        query = sa.select(EVENT.c.debate_id, text).where(EVENT.c.seq < _BEGINNING)
        if len(debates) <= _FEW:
            named = (text.contains(f'"{debate}"', autoescape=True) for debate in debates)
            for id, payload in await self._rows(query.where(sa.or_(sa.false(), *named))):
                yield id, payload
            return
        ids = sa.select(DEBATE.c.id).order_by(DEBATE.c.id).limit(_PAGE)
        last = ""
        while page := await self._rows(
            query.where(EVENT.c.debate_id.in_(ids.where(DEBATE.c.id > last)))
        ):
            for id, payload in page:
                last = max(last, id)
                yield id, payload

    async def _rows(self, query: sa.Select[Any]) -> list[tuple[str, str]]:
        rows = await self._db.rows(query)
        return [(str(id), str(text)) for id, text in rows]

    async def _ages(self, ids: Collection[str]) -> Mapping[str, tuple[datetime, str]]:
        query = sa.select(DEBATE.c.id, DEBATE.c.created_at).where(DEBATE.c.id.in_(ids))
        rows = await self._db.rows(query)
        return {str(id): (at, str(id)) for id, at in rows}

    async def count_messages(self, debate: str) -> Sequence[tuple[str, int]]:
        """Counts our messages about a debate, by their place."""
        query = (
            sa.select(MESSAGE.c.place, sa.func.count())
            .where(MESSAGE.c.debate_id == debate)
            .group_by(MESSAGE.c.place)
            .order_by(MESSAGE.c.place)
        )
        rows = await self._db.rows(query)
        return [(str(place), int(count)) for place, count in rows]

    async def find_written(self, debate: str) -> Sequence[str]:
        """Returns the links of the pull requests to which something of a debate was written."""
        query = (
            sa.select(WORK.c.target)
            .where(
                WORK.c.debate_id == debate,
                WORK.c.kind.in_(POSTS),
                WORK.c.state.in_((RowState.DONE, RowState.SENDING)),
            )
            .distinct()
            .order_by(WORK.c.target)
        )
        return await self._db.column(query)
