"""Periodic jobs and the loop of workers go on after a defect, wait for changes if that is asked
for, end with the process, and count by a clock that nobody sets.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo

import pytest

from bot import jobs as module
from bot import keep as keeping
from bot.jobs import Jobs, Periodic
from bot.keep import keep
from tests.patience import PATIENCE

SOON = 0.001


async def runs(jobs: Jobs, name: str, count: int, *, after_changes: bool = False) -> None:
    """Waits until a job has run that often; each run but the last one fails."""
    done, tries = asyncio.Event(), 0

    async def work() -> None:
        nonlocal tries
        tries += 1
        if tries < count:
            raise ConnectionError("the database is away")
        done.set()

    jobs.add(name, Periodic(work, SOON, after_changes))
    async with asyncio.timeout(PATIENCE):
        await done.wait()


async def test_a_job_goes_on_after_a_defect(caplog: pytest.LogCaptureFixture) -> None:
    jobs = Jobs()
    await runs(jobs, "look", 3)
    await jobs.stop()
    entries = [one for one in caplog.records if one.name == module.__name__]
    assert [one.message for one in entries] == ["what is due can't be worked off"] * 2
    assert {one.__dict__["action"] for one in entries} == {"look"}


async def test_a_job_after_changes_waits_for_the_next_change() -> None:
    version, looks = 1, 0

    async def work() -> None:
        nonlocal looks
        looks += 1

    jobs = Jobs(lambda: version)
    jobs.add("after", Periodic(work, SOON, after_changes=True))
    await runs(jobs, "other", 5)
    assert looks == 1
    version = 2
    await runs(jobs, "another", 5)
    assert looks == 2
    await jobs.stop()


async def test_a_job_after_changes_that_failed_is_done_again_without_another_change() -> None:
    jobs = Jobs(lambda: 1)
    await runs(jobs, "look", 3, after_changes=True)
    await jobs.stop()


async def test_a_store_that_knows_no_versions_is_looked_at_each_time() -> None:
    jobs = Jobs()
    await runs(jobs, "look", 3, after_changes=True)
    await jobs.stop()


async def test_a_stop_ends_what_runs_and_begins_nothing_more(
    caplog: pytest.LogCaptureFixture,
) -> None:
    jobs, began, ended = Jobs(), asyncio.Event(), False

    async def work() -> None:
        nonlocal ended
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended = True

    jobs.add("long", Periodic(work, SOON))
    async with asyncio.timeout(PATIENCE):
        await began.wait()
        await jobs.stop()
    assert ended
    await jobs.stop()  # again is no harm
    await asyncio.sleep(0)
    assert [one.message for one in caplog.records] == []


async def test_a_stop_at_any_moment_of_a_start_is_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for steps in range(5):
        jobs = Jobs()
        jobs.add("look", Periodic(asyncio.Event().wait, SOON))
        for _ in range(steps):
            await asyncio.sleep(0)
        await jobs.stop()
        await asyncio.sleep(0)
    assert [one.message for one in caplog.records] == []


async def test_a_job_that_takes_longer_than_its_interval_is_no_news(
    caplog: pytest.LogCaptureFixture,
) -> None:
    jobs, free = Jobs(), asyncio.Event()
    logging.getLogger("apscheduler.scheduler").setLevel(logging.WARNING)  # as litellm does
    jobs.add("long", Periodic(free.wait, SOON))
    await runs(jobs, "look", 5)
    await jobs.stop()
    entries = [one for one in caplog.records if one.name != module.__name__]
    assert [one.message for one in entries] == []


async def test_a_clock_that_is_set_back_stops_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    wall = [timedelta(0)]

    class Set(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            at = datetime.now(UTC) + wall[0]
            return at if tz is None or tz is UTC else tz.fromutc(at.replace(tzinfo=tz))

    monkeypatch.setattr("apscheduler.schedulers.base.datetime", Set)
    monkeypatch.setattr(module, "datetime", Set)
    jobs = Jobs(now=lambda: datetime.now(UTC))  # the true time
    again = asyncio.Event()

    async def work() -> None:
        again.set()

    jobs.add("look", Periodic(work, SOON))
    async with asyncio.timeout(PATIENCE):
        for moved in (timedelta(0), timedelta(hours=1), timedelta(hours=-1)):
            wall[0] = moved
            for _ in range(3):
                again.clear()
                await again.wait()
    await jobs.stop()


@pytest.mark.parametrize("woken", [True, False])
async def test_a_loop_of_workers_is_woken_and_goes_on_after_a_defect(
    woken: bool, caplog: pytest.LogCaptureFixture
) -> None:
    wake, done, tries = asyncio.Event(), asyncio.Event(), 0

    async def work() -> None:
        nonlocal tries
        tries += 1
        if tries == 3:
            done.set()
            return
        if woken:
            wake.set()
        if tries == 1:
            raise ConnectionError("the database is away")

    task = asyncio.create_task(keep("work", work, 3600.0 if woken else 0.001, wake))
    async with asyncio.timeout(PATIENCE):
        await done.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    messages = [one.message for one in caplog.records if one.name == keeping.__name__]
    assert messages == ["what is due can't be worked off"]
