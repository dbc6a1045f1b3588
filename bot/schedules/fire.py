"""Schedules that fire: a ticker in every replica, one taker per firing, and debates only about what
has changed.

The store hands a firing to one replica and remembers the last seen revision of each target, so that
a repository, a pull request or a page is debated again only when it is another one. A fixed
question has no revision and is debated every time. Nothing changed: nothing is said.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from adapters.commands.kinds import seconds
from adapters.commands.stored import start_from_stored
from adapters.forges.links import looks_like_link, parse_repo, unwrapped
from adapters.forges.port import PullFilter
from adapters.ports.chat import DeliveryError
from adapters.templates.catalogue import find
from bot.desk.request import request_of
from bot.schedules.cron import Rule
from core.errors import BadInput, DebateError
from storage.schedules import Firing, Schedule

if TYPE_CHECKING:
    from bot.wire import House

logger = logging.getLogger(__name__)
TICK = 1.0
"""Seconds between two looks at what is due."""
PULLS = 10
"""Open pull requests that one firing takes, the last updated first, where the schedule does not
say.
"""
FAILURES = 5
"""Failed runs in a row after which a schedule is paused and its owner is told."""
REMEMBERED = 500
"""Revisions kept for a repository; older ones are of pull requests long closed."""
WHOLE = 60_000
"""Tokens of a page that count for whether it has changed."""
SEEN = timedelta(days=3)
"""No platform delivers an event again after so long."""

_REPOSITORY = re.compile(r"https://([a-z0-9.-]+)/([^/?#]+/[^/?#]+?)(?:\.git)?/?(?:pulls/?)?")


def following(schedule: Schedule, after: datetime) -> datetime | None:
    """``storage.schedules.Following``."""
    return Rule(schedule.cron, schedule.tz).after(after)


def repository_of(target: str) -> tuple[str, str] | None:
    """(host, owner/name) where a target means all open pull requests of a repository.

    Raises ``BadInput`` for one badly written.
    """
    bare = unwrapped(target)
    if bare.startswith("github:"):
        return "github.com", parse_repo(bare.removeprefix("github:"))
    found = _REPOSITORY.fullmatch(bare)
    return (found[1], parse_repo(found[2])) if found else None


def filter_of(filters: Mapping[str, str], now: datetime) -> PullFilter:
    """Which pull requests a schedule takes. Raises ``BadInput``."""
    since: datetime | None = None
    if text := filters.get("since", ""):
        span = seconds(text)
        if not span:
            raise BadInput("--since takes a time like 7d or 12h.")
        since = now - timedelta(seconds=span)
    most = int(filters.get("at-most") or PULLS)
    return PullFilter(
        filters.get("label", ""), filters.get("base", ""), filters.get("author", ""), since, most
    )


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did. ``heads`` are the revisions to remember, None to leave them."""

    outcome: str
    debates: tuple[str, ...] = ()
    heads: Mapping[str, str] | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Firings:
    """Does what a taken firing says."""

    house: House

    async def run(self, firing: Firing) -> Report:
        """Starts the debates of one run and notes how it went; what goes wrong outside becomes part
        of the report.
        """
        schedule = firing.schedule
        if firing.late > schedule.grace:
            report = Report(
                f"missed: it was {firing.late / 60:.0f} minutes late, more than the "
                f"{schedule.grace / 60:.0f} it may be"
            )
        else:
            try:
                report = await self._start(firing)
            except DebateError as error:
                report = Report(self.house.redact(str(error)), failed=True)
        misses = await self.house.schedules.finish(
            firing, report.outcome, report.debates, report.heads, failed=report.failed
        )
        told = {
            "action": "schedule_ran",
            "schedule": schedule.id,
            "outcome": report.outcome,
            "late": round(firing.late, 1),
        }
        logger.info("a schedule ran", extra=told)
        if misses >= FAILURES:
            await self.rest(
                schedule,
                f"it failed {misses} times in a row, the last time because: {report.outcome}",
            )
        return report

    async def _start(self, firing: Firing) -> Report:
        target = firing.schedule.target
        if (repository := repository_of(target)) is not None:
            return await self._repository(firing, *repository)
        if looks_like_link(target):
            return await self._link(firing)
        return self._report([await self._debate(firing, target, firing.origin_key)], None)

    async def _repository(self, firing: Firing, host: str, repo: str) -> Report:
        schedule = firing.schedule
        wanted = filter_of(schedule.filters, self.house.clock.now())
        pulls = await self.house.library.open_pull_requests(
            repo, wanted, place=schedule.place, host=host
        )
        unread = await self._unread(schedule)
        fresh = [
            pull
            for pull in pulls
            if schedule.heads.get(pull.link) != pull.head_sha or pull.link in unread
        ]
        started = [
            await self._debate(firing, pull.link, f"{firing.origin_key}:{pull.link}")
            for pull in fresh
        ]
        seen = {pull.link: pull.head_sha for pull in pulls}
        older = [(link, head) for link, head in schedule.heads.items() if link not in seen]
        kept = dict([*older, *seen.items()][-REMEMBERED:])
        return (
            self._report(started, kept)
            if pulls
            else Report("no open pull request matches", (), kept)
        )

    async def _unread(self, schedule: Schedule) -> set[str]:
        """Targets of the last run whose debates never began: those are tried again without a new
        commit.
        """
        runs = await self.house.schedules.load_runs(schedule.id, limit=2)
        debates = [await self.house.load(id) for run in runs for id in run.debates]
        return {debate.request.target for debate in debates if debate.failure}

    async def _link(self, firing: Firing) -> Report:
        schedule = firing.schedule
        kind = find(schedule.template, self.house.settings.templates_dir).material
        material = await self.house.library.read(
            schedule.target, kind=kind, budget=WHOLE, place=schedule.place
        )
        revision = (
            material.revision
            or hashlib.sha256(material.text.encode("utf-8", "replace")).hexdigest()
        )
        if schedule.heads.get(
            schedule.target
        ) == revision and schedule.target not in await self._unread(schedule):
            return self._report([], None)
        return self._report(
            [await self._debate(firing, schedule.target, firing.origin_key)],
            {schedule.target: revision},
        )

    def _report(self, started: Sequence[str], heads: Mapping[str, str] | None) -> Report:
        said = (
            f"started {', '.join(f'`{id}`' for id in started)}"
            if started
            else "nothing has changed"
        )
        return Report(said, tuple(started), heads)

    async def _debate(self, firing: Firing, target: str, source: str) -> str:
        schedule = firing.schedule
        ask = replace(start_from_stored(schedule.options), template=schedule.template)
        request = request_of(
            ask, asker=schedule.owner, place=schedule.place, target=target, schedule=schedule.id
        )
        return await self.house.request(request, source)

    async def rest(self, schedule: Schedule, reason: str) -> None:
        """Pauses a schedule that can't work and tells its owner why, where a chat can reach
        them.
        """
        await self.house.schedules.enable(schedule.id, False, None)
        logger.warning(
            "a schedule is paused",
            extra={"action": "schedule_rests", "schedule": schedule.id, "reason": reason},
        )
        chat = self.house.chat_of(schedule.place)
        if chat is None:
            return
        what = f"{schedule.template} on {schedule.target}"
        said = (
            f"Schedule {schedule.id} ({what}) is paused now: {reason} When that is mended: "
            f"schedule resume {schedule.id}"
        )
        try:
            await chat.send_private(schedule.place, schedule.owner, said)
        except DeliveryError as problem:
            logger.warning(
                "its owner can't be told",
                extra={"action": "schedule_rests", "schedule": schedule.id, "reason": str(problem)},
            )

    async def place_gone(self, place: str, reason: str) -> None:
        """A channel that can't be posted to any more: its schedules rest."""
        for schedule in await self.house.schedules.find_all(place):
            if schedule.enabled:
                await self.rest(schedule, f"its channel can't be posted to. {reason}")


@dataclass(slots=True)
class Ticker:
    """Looks every second for firings that are due, in every replica; the store gives each to one of
    them.
    """

    house: House
    lag: float = 0.0
    """Seconds by which the last firing was late."""
    running: set[asyncio.Task[object]] = field(default_factory=set)

    async def run(self) -> None:
        """Until cancelled.

        What was begun is finished by whoever is there later: a run that nobody finished is taken
        again.
        """
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        library = logging.getLogger("apscheduler")
        library.setLevel(logging.WARNING)
        scheduler = AsyncIOScheduler(timezone="UTC")
        every = {
            "trigger": "interval",
            "coalesce": True,
            "max_instances": 1,
            "misfire_grace_time": None,
        }
        scheduler.add_job(self.tick, seconds=TICK, **every)
        scheduler.add_job(self._forget, hours=6, **every)
        scheduler.start()
        try:
            await asyncio.Event().wait()
        finally:
            library.setLevel(logging.CRITICAL)  # a look that is cut off by the end is no error
            scheduler.shutdown(wait=False)
            for task in self.running:
                task.cancel()
            await asyncio.gather(*self.running, return_exceptions=True)

    async def tick(self) -> int:
        """Takes what is due and starts it; how many firings that were."""
        firings = await self.house.schedules.take_due(self.house.owner, following)
        for firing in firings:
            self.lag = firing.late
            task: asyncio.Task[object] = asyncio.create_task(
                self._run(firing), name=f"schedule:{firing.schedule.id}"
            )
            self.running.add(task)
            task.add_done_callback(self.running.discard)
        return len(firings)

    async def _run(self, firing: Firing) -> None:
        try:
            await Firings(self.house).run(firing)
        except (
            Exception
        ):  # a defect costs this run, which is taken again later; the other schedules go on
            logger.exception(
                "a schedule's run broke",
                extra={"action": "schedule_broke", "schedule": firing.schedule.id},
            )

    async def _forget(self) -> None:
        await self.house.messages.forget_events(self.house.clock.now() - SEEN)
