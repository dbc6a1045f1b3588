"""Sums the cost of model calls for the budgets that debates share, together with what calls in
flight may still cost.

The rows are written by ``storage.events``, in the commits of the events they led to, and here, for
calls that are about to be made. A call in flight counts with its estimate, and a debate that is
being played with the needs of its closing turns, as long as its writer sends heartbeats: a process
that died blocks nobody's money for longer than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

import sqlalchemy as sa

from core.debate.budget import DUST
from core.debate.budget.pricing import DaySpent
from core.debate.log import Call, CallState
from core.debate.status import PLAYED
from storage.database import Database, named
from storage.database.clock import Instant
from storage.debates import HELD, STALE
from storage.debates.day_sums import days_to_sum, spent_by_day, sum_day
from storage.events.log import DebateLog, insert_intents
from storage.tables import CALL, DEBATE

_ANYBODY = ("", "")


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget of ``usd`` from ``since`` on, over all debates or over those of one person, given by
    the beginning and end of all their names.
    """

    usd: float
    since: datetime
    asker: tuple[str, str] = _ANYBODY


class Spending:
    """The sums over every debate of the database; failed attempts that cost money count."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def by_day(self, start: date, within: Sequence[str] | None) -> list[DaySpent]:
        """Returns the spending since the day ``start`` by day, person and model, the newest day
        first; only in places that begin with one of ``within``, if given.
        """
        now = self._db.now()
        return await self._db.read(lambda conn: spent_by_day(conn, start, now, within))

    async def sum_days(self) -> int:
        """Sums the days that are over, each in a separate transaction, and counts those whose
        calls were not summed yet.
        """
        now = self._db.now()
        days = await self._db.read(lambda conn: days_to_sum(conn, now))
        return sum([await self._db.write(partial(sum_day, day=day)) for day in days])

    async def by_place(self, start: datetime, limit: int) -> dict[str, float]:
        """Returns the USD spent since ``start`` in the most expensive places."""
        usd = sa.func.sum(CALL.c.usd)
        query = (
            sa.select(DEBATE.c.place, usd)
            .join_from(CALL, DEBATE, CALL.c.debate_id == DEBATE.c.id)
            .where(CALL.c.at >= start, CALL.c.state != CallState.INTENT, CALL.c.usd > 0)
            .group_by(DEBATE.c.place)
            .order_by(usd.desc(), DEBATE.c.place)
            .limit(limit)
        )
        rows = await self._db.rows(query)
        return {place: float(spent) for place, spent in rows}

    async def count_since(self, since: datetime) -> dict[str, int]:
        """Counts the calls to each model, those in flight too."""
        query = (
            sa.select(CALL.c.model, sa.func.count())
            .where(CALL.c.at >= since)
            .group_by(CALL.c.model)
        )
        rows = await self._db.rows(query)
        return {str(model): int(calls) for model, calls in rows}

    async def left(self, limits: Sequence[Limit], debate: str = "") -> float:
        """Returns the USD that the strictest limit leaves to ``debate``, whose own calls in flight
        and reserve are not counted.
        """
        now = self._db.moment()
        return await self._db.read(lambda conn: _left(conn, limits, debate, now))

    async def reserve(
        self,
        log: DebateLog,
        calls: Sequence[Call],
        needs: float,
        keep: float,
        limits: Sequence[Limit],
    ) -> bool:
        """Stores calls that are about to be made, if every limit leaves ``needs`` USD: the most
        that they and all else that the debate has begun cost, and ``keep``, which is reserved for
        its closing turns.

        Returns False, with nothing stored, if not. Raises ``Fenced``.
        """
        now, moment = self._db.now(), self._db.moment()

        def work(conn: sa.Connection) -> bool:
            log.require_mine(conn)
            if needs > _left(conn, limits, log.debate, moment) + DUST:
                return False
            insert_intents(conn, log.debate, calls, keep, now)
            return True

        return await self._db.write(work)


def _spent(conn: sa.Connection, since: datetime, asker: tuple[str, str]) -> float:
    """Sums the USD of the settled calls with a known price: what debates of that time cost, and the
    calls of that time in debates that are older.
    """
    theirs = [named(DEBATE.c.asker, *asker)] if asker[0] else []
    new = sa.select(sa.func.sum(DEBATE.c.cost)).where(DEBATE.c.created_at >= since, *theirs)
    older = sa.select(DEBATE.c.id).where(
        DEBATE.c.updated_at >= since, DEBATE.c.created_at < since, *theirs
    )
    calls = sa.select(sa.func.sum(CALL.c.usd)).where(
        CALL.c.debate_id.in_(older), CALL.c.at >= since, CALL.c.state != CallState.INTENT
    )
    return sum(float(conn.execute(query).scalar() or 0.0) for query in (new, calls))


def _left(conn: sa.Connection, limits: Sequence[Limit], debate: str, now: Instant) -> float:
    return min(
        limit.usd - _spent(conn, limit.since, limit.asker) - _held(conn, debate, limit.asker, now)
        for limit in limits
    )


def _held(conn: sa.Connection, debate: str, asker: tuple[str, str], now: Instant) -> float:
    """Sums the USD that other debates reserve: their calls in flight and the needs of their closing
    turns.
    """
    other = sa.and_(DEBATE.c.id != debate, HELD, DEBATE.c.beat_at >= now - STALE)
    if asker[0]:
        other = sa.and_(other, named(DEBATE.c.asker, *asker))
    flying = sa.select(sa.func.sum(CALL.c.estimate)).where(
        CALL.c.debate_id.in_(sa.select(DEBATE.c.id).where(other)), CALL.c.state == CallState.INTENT
    )
    kept = sa.select(sa.func.sum(DEBATE.c.reserve)).where(other, DEBATE.c.status.in_(PLAYED))
    return sum(float(conn.execute(query).scalar() or 0.0) for query in (flying, kept))
