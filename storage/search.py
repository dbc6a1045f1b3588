"""Finding debates: by their words, by what they were about, by how they ended.

What can be found of a debate is a projection: text made from its events, kept beside it, made again
when it has changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from core.views.verdict.decision import BY_RULE
from storage.database import Database, inserted
from storage.debates import ENDED, DebateLine, labelled
from storage.tables import DEBATE, DEBATE_TEXT, OUTCOME
from storage.words import LONGEST, asked_words, excerpt, holds_all

_LINE = [DEBATE.c[field.name] for field in fields(DebateLine)]
_HEAD = 600
"""Characters of a debate's words in which the address stands of what is debated."""
_CHANGE = re.compile(r"https?://\S+/(?:pull|merge_requests)/\d+")
_MECHANISM = OUTCOME.c.document["verdict"]["mechanism"].as_string()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What debates must have; empty members ask for nothing.

    ``within`` are beginnings of places (None: everywhere); what ``own`` asked for counts wherever
    it is. ``words`` are all to be there, ``person`` is a part of the asker's name, ``repository``
    of ``owner/name``. ``before`` says when the last debate of the page before was asked for, and
    its id; nothing is looked up for it, so that it tells nobody whether that debate is there.
    ``decided`` are templates with options that verdicts of theirs are to have reached (None: any).
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
    labels: Mapping[str, str] = field(default_factory=dict)
    before: tuple[datetime, str] | None = None
    decided: Sequence[tuple[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """``decision`` is "" while there is none; ``reached`` and ``mechanism`` say whether anything
    was decided, and how. ``source`` is the address of the change that is debated, ``repository``
    its ``owner/name``; both may be "". In ``excerpt`` the words that were asked for stand between
    ``storage.words.BEGINS`` and ``ENDS``.
    """

    line: DebateLine
    decision: str
    reached: bool
    mechanism: str
    excerpt: str
    source: str = ""
    repository: str = ""


class Search:
    """The debates of one database, as they can be found."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find_page(self, wanted: Wanted, limit: int) -> list[Found]:
        """Newest first."""
        asked = asked_words(wanted.words)
        decision = sa.func.coalesce(OUTCOME.c.decision, "").label("decision")
        begun = sa.func.coalesce(
            OUTCOME.c.source, sa.func.substr(DEBATE_TEXT.c.words, 1, _HEAD), ""
        )
        source = begun.label("source")
        repository = sa.func.coalesce(DEBATE_TEXT.c.repository, "").label("repository")
        query: sa.Select[Any] = (
            sa.select(
                *(*_LINE, decision, OUTCOME.c.reached, _MECHANISM.label("mechanism")),
                *(source, repository),
            )
            .outerjoin_from(DEBATE, OUTCOME, OUTCOME.c.debate_id == DEBATE.c.id)
            .outerjoin(DEBATE_TEXT, DEBATE_TEXT.c.debate_id == DEBATE.c.id)
            .where(*_conditions(wanted))
            .order_by(DEBATE.c.created_at.desc(), DEBATE.c.id.desc())
            .limit(limit)
        )
        sqlite = self._db.sqlite

        def work(conn: sa.Connection) -> list[Found]:
            hits = holds_all(conn, DEBATE_TEXT, asked, sqlite=sqlite)
            rows = [dict(row) for row in conn.execute(query.where(hits)).mappings()]
            texts = _texts(conn, [str(row["id"]) for row in rows]) if asked else {}
            return [_found(row, excerpt(texts.get(row["id"], ""), asked)) for row in rows]

        return await self._db.read(work)

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
    found += labelled(wanted.labels)
    if wanted.decided is not None:
        by_rule = [_MECHANISM.startswith(name) for name in BY_RULE]
        pair = sa.tuple_(DEBATE.c.template, OUTCOME.c.decision)
        found += [pair.in_(wanted.decided), sa.or_(OUTCOME.c.reached, *by_rule)]
        found.append(DEBATE.c.status != "failed")
    if wanted.within is not None:
        places = [DEBATE.c.place.startswith(x, autoescape=True) for x in wanted.within]
        found.append(sa.or_(sa.false(), *places, DEBATE.c.asker == wanted.own))
    if wanted.person:
        found.append(DEBATE.c.asker.icontains(wanted.person, autoescape=True))
    if wanted.repository:
        # By the index alone: in the table each row's repository stands behind its long text.
        named = sa.select(DEBATE_TEXT.c.number).where(
            DEBATE_TEXT.c.repository.contains(wanted.repository.lower(), autoescape=True)
        )
        found.append(DEBATE_TEXT.c.number.in_(named))
    if wanted.since is not None:
        found.append(DEBATE.c.created_at >= wanted.since)
    if wanted.until is not None:
        found.append(DEBATE.c.created_at < wanted.until)
    if wanted.before is not None:
        at, id = wanted.before
        same = sa.and_(DEBATE.c.created_at == at, DEBATE.c.id < id)
        found.append(sa.or_(DEBATE.c.created_at < at, same))
    return found


def _texts(conn: sa.Connection, debates: list[str]) -> dict[str, str]:
    query = sa.select(DEBATE_TEXT.c.debate_id, DEBATE_TEXT.c.words)
    rows = conn.execute(query.where(DEBATE_TEXT.c.debate_id.in_(debates)))
    return {row.debate_id: row.words for row in rows}


def _found(row: dict[str, Any], around: str) -> Found:
    line = DebateLine(**{column.name: row[column.name] for column in _LINE})
    mechanism, reached = row["mechanism"] or "", bool(row["reached"])
    change = _CHANGE.search(row["source"])  # while it runs the address stands among its words
    found = (around, change[0] if change else "", row["repository"])
    return Found(line, str(row["decision"]), reached, mechanism, *found)
