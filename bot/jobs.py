"""The periodic jobs of a process, in one scheduler of APScheduler.

People's schedules are rows of the store; one job here looks for due schedules.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple

from storage.database.clock import steady_clock

logger = logging.getLogger(__name__)
Work = Callable[[], Awaitable[object]]


class Periodic(NamedTuple):
    """Work that is done at intervals of ``seconds``, once at a time. ``after_changes``: only if the
    store has changed since it was done the last time.
    """

    work: Work
    seconds: float
    after_changes: bool = False


class Jobs:
    """Runs jobs until ``stop``. A failure is logged and ends no job.

    ``version`` returns a value that changes whenever the store does, None if nobody knows. ``now``
    is the scheduler's clock: one that nobody sets, because after a clock was set back by an hour,
    the scheduler would run nothing for an hour.
    """

    def __init__(
        self,
        version: Callable[[], object] = lambda: None,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        self._version = version
        self._zone = _Zone(now or steady_clock())
        quiet = logging.getLogger(f"{__name__}.scheduler")  # litellm resets APScheduler's
        self._scheduler = AsyncIOScheduler(timezone=self._zone, logger=quiet)
        self._running: set[asyncio.Task[object]] = set()
        self._ending = False
        for log in (quiet, logging.getLogger("apscheduler")):
            log.setLevel(logging.ERROR)  # a late job is no news

    def add(self, name: str, job: Periodic) -> None:
        """Runs a job, at once for the first time. ``name`` is the action in the log."""
        from apscheduler.triggers.base import BaseTrigger

        class Every(BaseTrigger):  # type: ignore[misc]  # it carries no types
            def get_next_fire_time(self, _: datetime | None, now: datetime) -> datetime:
                return now + timedelta(seconds=job.seconds)

        seen: object = None

        async def run() -> None:
            nonlocal seen
            version = self._version()
            if job.after_changes and version is not None and version == seen:
                return
            if await self._run(name, job.work):
                seen = version

        now = datetime.now(self._zone)
        given = {"max_instances": 1, "coalesce": True, "misfire_grace_time": None}
        self._scheduler.add_job(run, Every(), id=name, next_run_time=now, **given)
        if not self._scheduler.running:
            self._scheduler.start()

    async def stop(self) -> None:
        """Ends all jobs and waits for running ones."""
        ends, self._ending = self._scheduler.running and not self._ending, True
        if ends:
            self._scheduler.pause()
        await asyncio.sleep(0)  # a job cancelled before its first step would be logged as an error
        running = set(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if ends:
            self._scheduler.shutdown(wait=False)

    async def _run(self, name: str, work: Work) -> bool:
        """Does the work, and returns True if it was done."""
        task = asyncio.current_task()
        if task is None:
            return False
        self._running.add(task)
        try:
            await work()
        except Exception:  # a database that is away comes back; what is due waits in it
            logger.exception("what is due can't be worked off", extra={"action": name})
        except asyncio.CancelledError:  # the scheduler would log it as an error
            if not self._ending:
                raise
        else:
            return True
        finally:
            self._running.discard(task)
        return False


class _Zone(tzinfo):
    """UTC by another clock: ``datetime.now`` in this zone, as the scheduler asks, reads it."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now

    def utcoffset(self, _: datetime | None) -> timedelta:
        return timedelta(0)

    def dst(self, _: datetime | None) -> timedelta:
        return timedelta(0)

    def tzname(self, _: datetime | None) -> str:
        return "steady"

    def fromutc(self, at: datetime) -> datetime:
        return at + (self._now() - datetime.now(UTC))
