"""Sums of calls by day, so that what a page of costs reads does not grow with what was debated.

A day that is over is summed once, from its calls, which stay and remain the truth: today and what
is not summed yet is read from them. Sums are kept under a debate instead of a name, so a person who
is forgotten there is forgotten here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

import sqlalchemy as sa

from core.debate.budget.pricing import DaySpent
from core.debate.log import CallState
from storage.database import in_places
from storage.tables import CALL, DAY_SPENT, DEBATE

REACH = timedelta(days=93)
"""How far back sums are read; the longest page of costs shows 90 days."""
_MARGIN = timedelta(hours=1)
"""How long after its end a day is summed: clocks of replicas differ, and commits take a moment."""
_AGAIN = timedelta(days=7)
"""The summed days whose calls are counted again: a clock that was wrong added to them later."""
_DAY = timedelta(days=1)
_SETTLED = CALL.c.state != CallState.INTENT
_FIGURES = (
    sa.func.coalesce(sa.func.sum(CALL.c.usd), 0.0),
    sa.func.count(),
    sa.func.count().filter(CALL.c.usd.is_(None)),
)


def last_over(now: datetime) -> date:
    """Returns the newest day (UTC) that nobody adds to any more."""
    return (now.astimezone(UTC) - _MARGIN).date() - _DAY


def days_to_sum(conn: sa.Connection, now: datetime) -> list[date]:
    """Returns the days, within reach, that are over and whose calls are not all summed."""
    last = last_over(now)
    summed = _newest_summed(conn, last)
    first = last - REACH if summed is None else max(summed - _AGAIN, last - REACH)
    day, sum_of = sa.func.date(CALL.c.at), sa.func.sum(DAY_SPENT.c.calls)
    calls = (
        sa.select(day, sa.func.count())
        .where(_SETTLED, CALL.c.at >= _midnight(first), CALL.c.at < _midnight(last + _DAY))
        .group_by(day)
    )
    sums = (
        sa.select(DAY_SPENT.c.day, sum_of)
        .where(DAY_SPENT.c.day.between(first.isoformat(), last.isoformat()))
        .group_by(DAY_SPENT.c.day)
    )
    counted, known = ({str(d): int(n) for d, n in conn.execute(q)} for q in (calls, sums))
    differing = [d for d in counted.keys() | known.keys() if counted.get(d, 0) != known.get(d, 0)]
    return [date.fromisoformat(d) for d in sorted(differing)]


def sum_day(conn: sa.Connection, day: date) -> bool:
    """Sums the calls of one day, within a transaction; False if they are summed already."""
    own = DAY_SPENT.c.day == day.isoformat()
    within = (_SETTLED, CALL.c.at >= _midnight(day), CALL.c.at < _midnight(day + _DAY))
    calls = conn.execute(sa.select(sa.func.count()).select_from(CALL).where(*within)).scalar_one()
    summed = conn.execute(sa.select(sa.func.sum(DAY_SPENT.c.calls)).where(own)).scalar() or 0
    if calls == summed:
        return False
    conn.execute(sa.delete(DAY_SPENT).where(own))
    first = sa.func.min(DEBATE.c.id)
    sums = (
        sa.select(sa.literal(day.isoformat()), first, CALL.c.model, *_FIGURES)
        .join_from(CALL, DEBATE, CALL.c.debate_id == DEBATE.c.id)
        .where(*within)
        .group_by(DEBATE.c.place, DEBATE.c.asker, CALL.c.model)
    )
    names = [column.name for column in DAY_SPENT.columns]
    conn.execute(sa.insert(DAY_SPENT).from_select(names, sums))
    return True


def spent_by_day(
    conn: sa.Connection, start: date, now: datetime, within: Sequence[str] | None
) -> list[DaySpent]:
    """Returns what was spent since the day ``start``, the newest day first; sums if there are any,
    calls for the days after them.
    """
    summed = _newest_summed(conn, last_over(now))
    after = start if summed is None else max(start, summed + _DAY)
    day = sa.func.date(CALL.c.at)
    calls = (
        sa.select(day, DEBATE.c.asker, CALL.c.model, *_FIGURES)
        .join_from(CALL, DEBATE, CALL.c.debate_id == DEBATE.c.id)
        .where(CALL.c.at >= _midnight(after), _SETTLED)
        .group_by(day, DEBATE.c.asker, CALL.c.model)
    )
    days = (DAY_SPENT.c.day, DEBATE.c.asker, DAY_SPENT.c.model)
    figures = (DAY_SPENT.c.usd, DAY_SPENT.c.calls, DAY_SPENT.c.unpriced)
    sums = (
        sa.select(*days, *map(sa.func.sum, figures))
        .join_from(DAY_SPENT, DEBATE, DAY_SPENT.c.debate_id == DEBATE.c.id)
        .where(DAY_SPENT.c.day >= start.isoformat(), DAY_SPENT.c.day < after.isoformat())
        .group_by(*days)
    )
    here = in_places(DEBATE.c.place, within)
    rows = [row for query in (calls, sums) for row in conn.execute(query.where(here))]
    spent = [
        DaySpent(str(day), asker, model, float(usd), int(calls), int(unpriced))
        for day, asker, model, usd, calls, unpriced in rows
    ]
    spent.sort(key=lambda one: (one.asker, one.model))
    return sorted(spent, key=lambda one: one.day, reverse=True)


def _newest_summed(conn: sa.Connection, last: date) -> date | None:
    """A later one than ``last`` was summed by a clock that was ahead."""
    query = sa.select(sa.func.max(DAY_SPENT.c.day)).where(DAY_SPENT.c.day <= last.isoformat())
    day = conn.execute(query).scalar()
    return None if day is None else date.fromisoformat(day)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)
