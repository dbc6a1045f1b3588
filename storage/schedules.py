"""Stores recurring debates.

A firing is taken by one replica: the run's row (unique per schedule and time) and the next time are
one commit. A run that was taken and not finished (its holder died) is given out again; the debates
it may have started carry the firing in their origin key, so that starting them again starts nothing
twice. The caller computes the next time: triggers are not the store's matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from core.application.schedules import Schedule
from core.debate.errors import BadInput
from storage.audit import Act, actor, append_act, write_act
from storage.database import Database, in_places, insert_new, inserted, value_of
from storage.tables import SCHEDULE, SCHEDULE_RUN

ABANDONED = timedelta(minutes=10)
"""The time after which a run that has not finished has lost its holder."""


NextTime = Callable[[Schedule, datetime], datetime | None]
"""Returns the first time of a schedule after a moment; None: never again."""


@dataclass(frozen=True, slots=True)
class Firing:
    """One run to do now.

    ``late`` is in seconds; more than the schedule's grace and the run should be reported as missed.
    ``before`` is the latest run that had ended when this one was taken, None without one.
    ``owner_knows``: the run before failed too, and the owner knows.
    """

    schedule: Schedule
    fire_at: datetime
    late: float
    before: datetime | None = None
    owner_knows: bool = False


class Schedules:
    """The schedules of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(self, schedule: Schedule) -> None:
        """Stores a schedule. Raises ``BadInput`` when the id is taken."""
        row = {field.name: getattr(schedule, field.name) for field in fields(schedule)}
        by, now = actor(schedule.owner, schedule.place), self._db.now()

        def work(conn: sa.Connection) -> bool:
            fresh = inserted(conn, SCHEDULE, row, "id")
            if fresh:
                append_act(conn, by, Act("add a schedule", schedule.id), now)
            return fresh

        if not await self._db.write(work):
            raise BadInput("There is a schedule {id} already.", id=schedule.id)

    async def get(self, id: str) -> Schedule | None:
        schedules = await self._schedules(sa.select(SCHEDULE).where(SCHEDULE.c.id == id))
        return next(iter(schedules), None)

    async def find_all(self, place: str = "") -> list[Schedule]:
        """Returns the schedules of one place or of all, the next to fire first, paused ones
        last.
        """
        query = sa.select(SCHEDULE).order_by(
            SCHEDULE.c.next_at.is_(None), SCHEDULE.c.next_at, SCHEDULE.c.id
        )
        if place:
            query = query.where(SCHEDULE.c.place == place)
        return await self._schedules(query)

    async def find_page(
        self,
        limit: int,
        after: tuple[datetime | None, str] | None = None,
        within: Sequence[str] | None = None,
        own: str = "",
    ) -> list[Schedule]:
        """Returns at most ``limit`` in the order of ``find_all``, starting after the next time and
        id in ``after``; ``within`` narrows them down to places that begin so, or to one owner, None
        for all.
        """
        time, id = SCHEDULE.c.next_at, SCHEDULE.c.id
        query = sa.select(SCHEDULE).order_by(time.is_(None), time, id).limit(limit)
        if after is not None and after[0] is not None:
            later = sa.or_(time > after[0], time.is_(None))
            query = query.where(sa.or_(later, sa.and_(time == after[0], id > after[1])))
        elif after is not None:
            query = query.where(time.is_(None), id > after[1])
        if within is not None:
            query = query.where(
                sa.or_(SCHEDULE.c.owner == own, in_places(SCHEDULE.c.place, within))
            )
        return await self._schedules(query)

    async def measure_lag(self) -> float:
        """Returns the seconds by which the most overdue firing is late, 0 when none is."""
        query = sa.select(sa.func.min(SCHEDULE.c.next_at)).where(SCHEDULE.c.enabled)
        first: datetime | None = await self._db.scalar(query)
        if first is not None:
            return max(0.0, (self._db.now() - first).total_seconds())
        return 0.0

    async def enable(self, id: str, enabled: bool, next_at: datetime | None) -> bool:
        """Pauses or resumes a schedule; False if there is none. Missed firings are not made up:
        ``next_at`` is from now on, and a pause drops the runs that have lost their holders.
        """
        by, now = actor(), self._db.now()
        values = {"enabled": enabled, "next_at": next_at, "misses": 0}
        change = sa.update(SCHEDULE).where(SCHEDULE.c.id == id).values(**values)
        act = Act("resume a schedule" if enabled else "pause a schedule", id)
        unfinished = sa.and_(SCHEDULE_RUN.c.schedule_id == id, SCHEDULE_RUN.c.finished_at.is_(None))
        drop = sa.update(SCHEDULE_RUN).where(unfinished).values(finished_at=now)

        def work(conn: sa.Connection) -> bool:
            if not conn.execute(change).rowcount:
                return False
            if not enabled:
                conn.execute(drop)
            append_act(conn, by, act, now)
            return True

        return await self._db.write(work)

    async def remove(self, id: str) -> bool:
        drop = sa.delete(SCHEDULE).where(SCHEDULE.c.id == id)
        return await write_act(self._db, drop, actor(), Act("remove a schedule", id))

    async def take_due(self, owner: str, following: NextTime) -> list[Firing]:
        """Takes every firing whose time has come (the latest one of a schedule that slept through
        several), and abandoned runs.
        """
        now = self._db.now()
        ripe = sa.select(SCHEDULE).where(SCHEDULE.c.enabled, SCHEDULE.c.next_at <= now)
        left = sa.select(SCHEDULE_RUN.c.schedule_id, SCHEDULE_RUN.c.fire_at).where(
            SCHEDULE_RUN.c.finished_at.is_(None), SCHEDULE_RUN.c.taken_at < now - ABANDONED
        )

        def work(conn: sa.Connection) -> list[Firing]:
            runs = conn.execute(left).all()
            schedules = [value_of(Schedule, row) for row in conn.execute(ripe)]
            again = [_retake(conn, owner, now, id, fire_at) for id, fire_at in runs]
            fresh = [_take(conn, owner, now, schedule, following) for schedule in schedules]
            return again + [firing for firing in fresh if firing is not None]

        if not await self._db.scalar(sa.select(sa.exists(ripe) | sa.exists(left))):
            return []
        return await self._db.write(work)

    async def take_now(self, id: str, owner: str) -> Firing:
        """Takes a run that a person wants now; the next time stays. Raises ``BadInput`` for an
        unknown id.
        """
        now = self._db.now()

        def work(conn: sa.Connection) -> Firing:
            row = conn.execute(sa.select(SCHEDULE).where(SCHEDULE.c.id == id)).one_or_none()
            if row is None:
                raise BadInput("There is no schedule {id}.", id=id)
            conn.execute(
                insert_new(conn, SCHEDULE_RUN, "schedule_id", "fire_at"), _run(id, now, owner, now)
            )
            return Firing(value_of(Schedule, row), now, 0.0, _ended(conn, id))

        return await self._db.write(work)

    async def finish(
        self,
        firing: Firing,
        outcome: str,
        debates: Sequence[str] = (),
        heads: Mapping[str, str] | None = None,
        *,
        failed: bool = False,
    ) -> int:
        """Stores the result of a run, and returns the number of failed runs in a row, this one
        included.
        """
        id, now = firing.schedule.id, self._db.now()
        ran = sa.and_(SCHEDULE_RUN.c.schedule_id == id, SCHEDULE_RUN.c.fire_at == firing.fire_at)
        values: dict[str, Any] = {
            "outcome": outcome,
            "misses": SCHEDULE.c.misses + 1 if failed else 0,
        }
        if heads is not None:
            values["heads"] = dict(heads)
        changed = (
            sa.update(SCHEDULE)
            .where(SCHEDULE.c.id == id)
            .values(**values)
            .returning(SCHEDULE.c.misses)
        )

        def work(conn: sa.Connection) -> int:
            conn.execute(
                sa.update(SCHEDULE_RUN)
                .where(ran)
                .values(finished_at=now, debates=list(debates), outcome=outcome)
            )
            return conn.execute(changed).scalar() or 0

        return await self._db.write(work)

    async def last_debates(self, id: str, runs: int = 1) -> list[str]:
        """Returns the debates that the latest runs of a schedule started."""
        query = (
            sa.select(SCHEDULE_RUN.c.debates)
            .where(SCHEDULE_RUN.c.schedule_id == id)
            .order_by(SCHEDULE_RUN.c.fire_at.desc())
            .limit(runs)
        )
        return [debate for debates in await self._db.column(query) for debate in debates]

    async def _schedules(self, query: sa.Select[Any]) -> list[Schedule]:
        return [value_of(Schedule, row) for row in await self._db.rows(query)]


def _run(id: str, fire_at: datetime, owner: str, now: datetime) -> dict[str, Any]:
    return {"schedule_id": id, "fire_at": fire_at, "taken_at": now, "taken_by": owner}


def _take(
    conn: sa.Connection, owner: str, now: datetime, schedule: Schedule, following: NextTime
) -> Firing | None:
    """Takes one run for all slept-through firings, at the last time that has passed. Returns None
    if another replica has taken it.
    """
    fire_at = _latest(schedule, schedule.next_at or now, now, following)
    coming = following(schedule, fire_at)
    fresh = inserted(
        conn, SCHEDULE_RUN, _run(schedule.id, fire_at, owner, now), "schedule_id", "fire_at"
    )
    conn.execute(sa.update(SCHEDULE).where(SCHEDULE.c.id == schedule.id).values(next_at=coming))
    if not fresh:
        return None
    late = (now - fire_at).total_seconds()
    return Firing(schedule, fire_at, late, _ended(conn, schedule.id))


def _latest(schedule: Schedule, first: datetime, now: datetime, following: NextTime) -> datetime:
    """Returns the last firing up to ``now``, searched in spans that double, so that a long sleep is
    not walked through firing by firing.
    """
    span = timedelta(minutes=1)
    while now - span > first:
        next_at = following(schedule, now - span)
        if next_at is not None and next_at <= now:
            first = next_at
            break
        span *= 2
    while (coming := following(schedule, first)) is not None and coming <= now:
        first = coming
    return first


def _retake(conn: sa.Connection, owner: str, now: datetime, id: str, fire_at: datetime) -> Firing:
    taken = (
        sa.update(SCHEDULE_RUN)
        .where(SCHEDULE_RUN.c.schedule_id == id, SCHEDULE_RUN.c.fire_at == fire_at)
        .values(taken_at=now, taken_by=owner)
    )
    conn.execute(taken)
    row = conn.execute(sa.select(SCHEDULE).where(SCHEDULE.c.id == id)).one()
    return Firing(
        value_of(Schedule, row), fire_at, (now - fire_at).total_seconds(), _ended(conn, id)
    )


def _ended(conn: sa.Connection, id: str) -> datetime | None:
    runs = sa.select(sa.func.max(SCHEDULE_RUN.c.fire_at)).where(SCHEDULE_RUN.c.schedule_id == id)
    time: datetime | None = conn.execute(runs.where(SCHEDULE_RUN.c.outcome != "")).scalar()
    return time
