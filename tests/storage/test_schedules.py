"""A schedule fires once for all replicas, and a run whose holder died is done by another."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from core.application.schedules import Schedule
from core.debate.errors import BadInput
from storage.database import Database
from storage.schedules import ABANDONED, Schedules
from storage.schema import open_database
from tests.storage.conftest import ON_SQLITE, Hands
from tests.storage.samples import AT

HOUR = timedelta(hours=1)


def hourly(schedule: Schedule, after: datetime) -> datetime:
    return after.replace(minute=0, second=0, microsecond=0) + HOUR


def plan(id: str = "s1", place: str = "slack:T1/C1") -> Schedule:
    return Schedule(
        id,
        "0 * * * *",
        "Europe/Berlin",
        300,
        AT + HOUR,
        "code_review",
        "acme/app",
        place,
        "slack:T1/U1",
        AT,
        heads={"7": "abc"},
    )


async def test_schedules_are_kept_listed_paused_and_removed(db: Database) -> None:
    schedules = Schedules(db)
    later = replace(plan("s0", "discord:G/1"), next_at=AT + 2 * HOUR)
    for schedule in (later, plan()):
        await schedules.add(schedule)
    with pytest.raises(BadInput, match="There is a schedule s1 already"):
        await schedules.add(plan())
    assert await schedules.find_all() == [plan(), later]
    assert await schedules.find_all("discord:G/1") == [later]
    assert await schedules.enable("s1", False, None) is True
    assert await schedules.get("s1") == replace(plan(), enabled=False, next_at=None)
    assert await schedules.enable("s9", True, None) is False
    assert [await schedules.remove("s1"), await schedules.remove("s1")] == [True, False]
    assert await schedules.get("s1") is None


async def test_of_many_replicas_one_fires(
    db: Database, database_address: str, hands: Hands
) -> None:
    schedules = Schedules(db)
    elsewhere = await open_database(database_address, hands.now)
    replicas = [schedules, Schedules(elsewhere)] * 2
    await schedules.add(plan())
    assert await schedules.take_due("a", hourly) == []
    hands.pass_by(3610)
    claims = (replica.take_due(str(n), hourly) for n, replica in enumerate(replicas))
    (firing,) = [f for firings in await asyncio.gather(*claims) for f in firings]
    await elsewhere.close()
    assert (firing.schedule, firing.fire_at, firing.late) == (plan(), AT + HOUR, 10.0)
    assert firing.fire_at.isoformat() == "2026-03-01T13:00:00+00:00"
    stored = await schedules.get("s1")
    assert stored is not None
    assert stored.next_at == AT + 2 * HOUR
    assert await schedules.finish(firing, "2 debates", ["d1", "d2"], {"7": "def"}) == 0
    assert await schedules.get("s1") == replace(
        plan(), next_at=AT + 2 * HOUR, outcome="2 debates", heads={"7": "def"}
    )
    hands.pass_by(3500 + ABANDONED.total_seconds())
    assert len(await schedules.take_due("a", hourly)) == 1


@ON_SQLITE
async def test_a_schedule_that_slept_fires_once_for_its_last_time(
    db: Database, hands: Hands
) -> None:
    schedules = Schedules(db)
    await schedules.add(plan())
    hands.pass_by(5 * 3600 + 60)
    (firing,) = await schedules.take_due("a", hourly)
    assert (firing.fire_at, firing.late) == (AT + 5 * HOUR, 60.0)
    assert await schedules.take_due("a", hourly) == []


async def test_a_run_whose_holder_died_is_given_out_again_once(db: Database, hands: Hands) -> None:
    schedules = Schedules(db)
    await schedules.add(replace(plan(), next_at=AT))
    (lost,) = await schedules.take_due("dead", lambda schedule, after: None)
    hands.pass_by(ABANDONED.total_seconds() + 1)
    firings = [
        f
        for taken in await asyncio.gather(*(schedules.take_due(str(n), hourly) for n in range(3)))
        for f in taken
    ]
    assert [f.fire_at for f in firings] == [lost.fire_at]
    await schedules.finish(firings[0], "done")
    hands.pass_by(ABANDONED.total_seconds() + 1)
    assert await schedules.take_due("a", hourly) == []


@ON_SQLITE
async def test_a_run_whose_holder_died_is_not_given_out_after_a_pause(
    db: Database, hands: Hands
) -> None:
    schedules = Schedules(db)
    await schedules.add(plan())
    hands.pass_by(3610)
    (_,) = await schedules.take_due("a", hourly)
    assert await schedules.enable("s1", False, None)
    hands.pass_by(ABANDONED.total_seconds() + 1)
    assert await schedules.take_due("b", hourly) == []
    assert await schedules.enable("s1", True, AT + 9 * HOUR)
    assert await schedules.take_due("b", hourly) == []
    await schedules.take_now("s1", "b")
    hands.pass_by(ABANDONED.total_seconds() + 1)
    assert len(await schedules.take_due("c", hourly)) == 1, "one that a person wanted since"


async def test_failed_runs_are_counted_in_a_row(db: Database) -> None:
    schedules = Schedules(db)
    await schedules.add(plan())
    counted = [
        await schedules.finish(await schedules.take_now("s1", "a"), "failed", failed=failed)
        for failed in (True, True, False, True)
    ]
    assert counted == [1, 2, 0, 1]
    stored = await schedules.get("s1")
    assert stored is not None
    assert (stored.next_at, stored.heads, stored.misses) == (AT + HOUR, {"7": "abc"}, 1)
    with pytest.raises(BadInput, match="There is no schedule s9"):
        await schedules.take_now("s9", "a")
