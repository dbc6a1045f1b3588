"""Finding debates: by their words, by what they were about, by how they ended.

What can be found of a debate is a projection: text made from its events, kept beside it, made again
when it has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from storage.database import Database, inserted
from storage.debates import ENDED, DebateLine
from storage.tables import DEBATE, DEBATE_TEXT, OUTCOME
from storage.words import LONGEST, narrowed

_LINE = [DEBATE.c[field.name] for field in fields(DebateLine)]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What debates must have; empty members ask for nothing.

    ``within`` are beginnings of places (None: everywhere); what ``own`` asked for counts wherever
    it is. ``words`` are all to be there, ``person`` is a part of the asker's name, ``repository``
    of ``owner/name``. ``before`` is the id of the last debate of the page before.
    """

    within: Sequence[str] | None = None
    own: str = ""
    words: str = ""
    status: str = ""
    template: str = ""
    asker: str = ""
    person: str = ""
    repository: str = ""
    decision: str = ""
    since: datetime | None = None
    until: datetime | None = None
    before: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """``decision`` is "" while there is none. In ``excerpt`` the words that were asked for stand
    between ``storage.words.BEGINS`` and ``ENDS``.
    """

    line: DebateLine
    decision: str
    excerpt: str


class Search:
    """The debates of one database, as they can be found."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find_page(self, wanted: Wanted, limit: int) -> list[Found]:
        """Newest first."""
        decision = sa.func.coalesce(OUTCOME.c.decision, "").label("decision")
        query: sa.Select[Any] = (
            sa.select(*_LINE, decision)
            .outerjoin_from(DEBATE, OUTCOME, OUTCOME.c.debate_id == DEBATE.c.id)
            .outerjoin(DEBATE_TEXT, DEBATE_TEXT.c.debate_id == DEBATE.c.id)
            .where(*_conditions(wanted))
            .order_by(DEBATE.c.created_at.desc(), DEBATE.c.id.desc())
            .limit(limit)
        )
        query = narrowed(query, DEBATE_TEXT, wanted.words, sqlite=self._db.sqlite)
        rows = await self._db.read(lambda conn: conn.execute(query).mappings().all())
        return [_found(dict(row)) for row in rows]

    async def find_stale(self, since: datetime | None, limit: int) -> list[str]:
        """Debates whose text is not made yet, or that have gone on since it was made at their end,
        among those that changed ``since``; the oldest change first. While one runs, what it began
        with is enough.
        """
        unknown = sa.and_(DEBATE_TEXT.c.debate_id.is_(None), DEBATE.c.status != "queued")
        changed = sa.and_(DEBATE.c.status.in_(ENDED), DEBATE_TEXT.c.events != DEBATE.c.events)
        query = (
            sa.select(DEBATE.c.id)
            .outerjoin_from(DEBATE, DEBATE_TEXT, DEBATE_TEXT.c.debate_id == DEBATE.c.id)
            .where(sa.or_(unknown, changed))
            .order_by(DEBATE.c.updated_at, DEBATE.c.id)
            .limit(limit)
        )
        if since is not None:
            query = query.where(DEBATE.c.updated_at >= since)
        return list(await self._db.read(lambda conn: conn.execute(query).scalars().all()))

    async def save(self, debate: str, words: str, repository: str, events: int) -> None:
        """What of a debate can be found, made from its first ``events`` events."""
        row = {
            "debate_id": debate,
            "words": words[:LONGEST],
            "repository": repository.lower(),
            "events": events,
        }
        change = sa.update(DEBATE_TEXT).where(DEBATE_TEXT.c.debate_id == debate).values(row)

        def work(conn: sa.Connection) -> None:
            if not inserted(conn, DEBATE_TEXT, row, "debate_id"):
                conn.execute(change)

        await self._db.write(work)


def _conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = [
        column == value
        for column, value in (
            (DEBATE.c.status, wanted.status),
            (DEBATE.c.template, wanted.template),
            (DEBATE.c.asker, wanted.asker),
            (OUTCOME.c.decision, wanted.decision),
        )
        if value
    ]
    if wanted.within is not None:
        places = [DEBATE.c.place.startswith(x, autoescape=True) for x in wanted.within]
        found.append(sa.or_(sa.false(), *places, DEBATE.c.asker == wanted.own))
    if wanted.person:
        found.append(DEBATE.c.asker.icontains(wanted.person, autoescape=True))
    if wanted.repository:
        found.append(DEBATE_TEXT.c.repository.contains(wanted.repository.lower(), autoescape=True))
    if wanted.since is not None:
        found.append(DEBATE.c.created_at >= wanted.since)
    if wanted.until is not None:
        found.append(DEBATE.c.created_at < wanted.until)
    if wanted.before:
        last = sa.select(DEBATE.c.created_at).where(DEBATE.c.id == wanted.before)
        at = last.scalar_subquery()
        same = sa.and_(DEBATE.c.created_at == at, DEBATE.c.id < wanted.before)
        found.append(sa.or_(DEBATE.c.created_at < at, same))
    return found


def _found(row: dict[str, Any]) -> Found:
    decision, excerpt = row.pop("decision"), row.pop("excerpt")
    return Found(DebateLine(**row), str(decision), str(excerpt))
