"""Finds debates by their words, by their material, and by their result.

The searchable text of a debate is a projection: made from its events, stored in a separate table,
and made again when the debate has changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import sqlalchemy as sa

from core.application.listing import DebateLine, Filter, Hit
from core.debate.status import ENDED, DebateStatus
from core.words.views.verdict.labels import BY_RULE
from storage.database import Database, inserted, padded
from storage.debates import LINE, in_any_place, labelled, lines_of
from storage.forges.renamed import names_of_renamed
from storage.tables import DEBATE, DEBATE_TEXT, OUTCOME
from storage.word_index import BEGINS, ENDS, LONGEST, asked_words, excerpt, in_vector, numbers_with

_DAY = timedelta(days=1)
_HEAD = 600
"""The number of a debate's first characters in which the address of its material is searched."""
_CHANGE = re.compile(r"https?://\S+/(?:pull|merge_requests)/\d+")
_FEW = 500
"""The most debates that a query names one by one."""
_MECHANISM = OUTCOME.c.document["verdict"]["mechanism"].as_string()


class Search:
    """Searches the debates of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find_page(
        self,
        wanted: Filter,
        limit: int,
        *,
        within: Sequence[str] | None = None,
        own: str = "",
        decided: Sequence[tuple[str, str]] = (),
    ) -> list[Hit]:
        """Returns the debates, newest first.

        ``within`` are beginnings of places (None: everywhere); debates that ``own`` asked for count
        wherever they are. ``decided`` are the templates' options that count as ``blocked``.
        """
        words = asked_words(wanted.words)
        decision = sa.func.coalesce(OUTCOME.c.decision, "").label("decision")
        begun = sa.func.coalesce(
            OUTCOME.c.source, sa.func.substr(DEBATE_TEXT.c.words, 1, _HEAD), ""
        )
        source = begun.label("source")
        repository = sa.func.coalesce(DEBATE_TEXT.c.repository, "").label("repository")
        query: sa.Select[Any] = (
            sa.select(
                *(*LINE, decision, OUTCOME.c.reached, _MECHANISM.label("mechanism")),
                *(source, repository),
            )
            .outerjoin_from(DEBATE, OUTCOME, OUTCOME.c.debate_id == DEBATE.c.id)
            .outerjoin(DEBATE_TEXT, DEBATE_TEXT.c.debate_id == DEBATE.c.id)
            .where(*_conditions(wanted), *_scope(wanted, within, own, decided))
            .order_by(DEBATE.c.created_at.desc(), DEBATE.c.id.desc())
            .limit(limit)
        )
        sqlite = self._db.sqlite

        def work(conn: sa.Connection) -> list[Hit]:
            narrowed = query.where(*_looked_up(conn, wanted, within, sqlite=sqlite))
            rows = conn.execute(narrowed).fetchall()
            texts = _texts(conn, [str(row.id) for row in rows]) if words else {}
            return [
                _found(line, row, excerpt(texts.get(line.id, ""), words))
                for line, row in zip(lines_of(conn, rows), rows, strict=True)
            ]

        return await self._db.read(work)

    async def find_stale(self, since: datetime | None, limit: int) -> list[str]:
        """Returns debates whose text is not made yet, or that have changed since it was made at
        their end, among those that changed ``since``; the oldest change first.

        While a debate runs, the text of its beginning is enough.
        """
        unknown = sa.and_(DEBATE_TEXT.c.debate_id.is_(None), DEBATE.c.status != DebateStatus.QUEUED)
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
        return await self._db.column(query)

    async def save(self, debate: str, words: str, repository: str, events: int) -> None:
        """Stores the searchable text of a debate, made from its first ``events`` events."""
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


def _conditions(wanted: Filter) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = [
        column == value
        for column, value in (
            (DEBATE.c.status, wanted.status),
            (DEBATE.c.template, wanted.template),
            (OUTCOME.c.decision, wanted.decision),
        )
        if value
    ]
    conditions += labelled(wanted.labels)
    if wanted.person:
        conditions.append(DEBATE.c.asker.icontains(wanted.person, autoescape=True))
    if wanted.since is not None:
        conditions.append(DEBATE.c.created_at >= _moment(wanted.since))
    if wanted.until is not None and date.max - _moment(wanted.until).date() >= _DAY:
        conditions.append(DEBATE.c.created_at < _after(wanted.until))
    if wanted.before is not None:
        at, id = wanted.before
        same = sa.and_(DEBATE.c.created_at == at, DEBATE.c.id < id)
        conditions.append(sa.or_(DEBATE.c.created_at < at, same))
    return conditions


def _scope(
    wanted: Filter, within: Sequence[str] | None, own: str, decided: Sequence[tuple[str, str]]
) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.mine:
        conditions.append(DEBATE.c.asker == own)
    if wanted.blocked:
        by_rule = [_MECHANISM.startswith(name) for name in BY_RULE]
        pair = sa.tuple_(DEBATE.c.template, OUTCOME.c.decision)
        conditions += [pair.in_(decided), sa.or_(OUTCOME.c.reached, *by_rule)]
        conditions.append(DEBATE.c.status != DebateStatus.FAILED)
    if within is not None:
        conditions.append(sa.or_(in_any_place(within), DEBATE.c.asker == own))
    return conditions


def _moment(day: date) -> datetime:
    if isinstance(day, datetime):
        return day
    return datetime.combine(day, time(), UTC)


def _after(day: date) -> datetime:
    return _moment(day) + (timedelta() if isinstance(day, datetime) else _DAY)


def _pieces(excerpt: str) -> Iterator[tuple[str, bool]]:
    """Splits an excerpt into pieces, each with whether it matches the search."""
    for part in excerpt.split(BEGINS):
        match, ends, rest = part.partition(ENDS)
        if not ends:
            match, rest = "", part
        if match:
            yield match, True
        if rest:
            yield rest, False


def _looked_up(
    conn: sa.Connection, wanted: Filter, within: Sequence[str] | None, *, sqlite: bool
) -> list[sa.ColumnElement[bool]]:
    """Restricts the query by the indexes of texts: those with the words, and those about the
    repository, under its present or a former name.

    Each is looked up once for the whole query; a join would let SQLite look it up anew for every
    row.
    """
    conditions = []
    part, renamed = wanted.repository.lower(), list[frozenset[str]]()
    if part or "/" in wanted.words:
        renamed = names_of_renamed(conn, within)
    if part:
        fitting = (names for names in renamed if any(part in name for name in names))
        parts = {part}.union(*fitting)
        conditions.append(sa.or_(*(_among(conn, _of_repository(conn, one)) for one in parts)))
    spellings = set(filter(None, map(asked_words, _spellings(wanted.words, renamed))))
    if spellings and sqlite:
        conditions.append(sa.or_(*(_among(conn, numbers_with(words)) for words in spellings)))
    elif spellings:
        conditions.append(sa.or_(*(in_vector(DEBATE_TEXT, words) for words in spellings)))
    return conditions


def _spellings(words: str, renamed: Iterable[frozenset[str]]) -> Iterator[str]:
    """Yields the words of a query, and the same with the other names of a renamed repository that
    they name.
    """
    yield words
    for names in renamed:
        for name in names:
            spelt = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", re.IGNORECASE)
            if spelt.search(words):
                yield from (spelt.sub(other, words) for other in names - {name})


def _of_repository(conn: sa.Connection, part: str) -> sa.Select[tuple[int]]:
    """Selects the numbers of the texts about the repositories whose names have that part.

    Names are read by jumps through their index: one for each repository, not for each debate.
    """
    column = DEBATE_TEXT.c.repository
    first = sa.select(sa.func.min(column).label("name")).cte("names", recursive=True)
    later = sa.select(sa.func.min(column)).where(column > first.c.name).scalar_subquery()
    names = first.union_all(sa.select(later).where(first.c.name.is_not(None)))
    fits = sa.select(names.c.name).where(names.c.name.contains(part, autoescape=True))
    few = conn.execute(fits.limit(_FEW + 1)).scalars().all()
    fitting = column.in_(padded(few) if len(few) <= _FEW else fits)
    return sa.select(DEBATE_TEXT.c.number).where(fitting)


def _among(conn: sa.Connection, numbers: sa.Select[tuple[int]]) -> sa.ColumnElement[bool]:
    """Builds the condition that a debate's text is among ``numbers``.

    If they are few, the condition names their debates, and the page is gathered from these;
    otherwise it is gathered from the newest debates until it is full.
    """
    few = conn.execute(numbers.limit(_FEW + 1)).scalars().all()
    if len(few) > _FEW:
        return DEBATE_TEXT.c.number.in_(numbers)
    debates = sa.select(DEBATE_TEXT.c.debate_id).where(DEBATE_TEXT.c.number.in_(padded(few)))
    return DEBATE.c.id.in_(padded(conn.execute(debates).scalars().all()))


def _texts(conn: sa.Connection, debates: list[str]) -> dict[str, str]:
    query = sa.select(DEBATE_TEXT.c.debate_id, DEBATE_TEXT.c.words)
    rows = conn.execute(query.where(DEBATE_TEXT.c.debate_id.in_(debates)))
    return {row.debate_id: row.words for row in rows}


def _found(line: DebateLine, row: sa.Row[Any], around: str) -> Hit:
    mechanism, reached = row.mechanism or "", bool(row.reached)
    change = _CHANGE.search(row.source)  # while it runs the address stands among its words
    hit = (tuple(_pieces(around)), change[0] if change else "", row.repository)
    return Hit(line, str(row.decision), reached, mechanism, *hit)
