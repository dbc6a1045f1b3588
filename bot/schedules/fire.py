"""A schedule's firing: it starts debates about targets that have changed, and notes in a line how
it went.

The last seen revision of each target is stored, so that a repository, a pull request or a page is
debated again only when it has changed. A fixed question has no revision and is debated every time.
If nothing has changed, nothing is posted.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from adapters.forges.links import looks_like_link
from adapters.material.library import MaterialLibrary
from adapters.ports.chat import Chat
from adapters.posts.refused import schedule_failed, schedule_paused
from adapters.redaction import clean
from adapters.templates.catalogue import find
from adapters.templates.sources import TemplateSources
from bot.debates.changes import Changes, head_of, was_held
from bot.debates.opening.request import request_of
from bot.debates.origins import Maker, Origin
from bot.debates.service import DebateService
from bot.posting.private import language_of, tell
from bot.quotas import Quotas, TooMany
from bot.schedules.targets import filter_of, repository_of
from core.application.commands.stored import start_from_stored
from core.application.permissions import Permissions
from core.application.place import SHELL, platform_of
from core.application.presence import DeliveryError, DeliveryFailure
from core.application.schedules import Schedule
from core.debate.errors import DebateError, StoreAway
from core.debate.material.library import ReadRequest
from core.debate.ports import Clock
from core.debate.stored import lasting, stored
from core.languages import speaking
from storage.schedules import Firing, Schedules

logger = logging.getLogger(__name__)
FAILURES = 5
"""Failed runs in a row after which a schedule is paused and its owner gets a message."""
_REMEMBERED = 500
"""The most revisions stored for a repository; older ones are of pull requests long closed."""
_WHOLE = 60_000
"""The most tokens of a page that are compared with its earlier revision."""


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a run. ``heads`` are the revisions to store, None to leave them."""

    outcome: str
    debates: tuple[str, ...] = ()
    heads: Mapping[str, str] | None = None
    failed: bool = False
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Firings:
    """Runs the firings that the ticker has taken."""

    schedules: Schedules
    service: DebateService
    library: MaterialLibrary
    chats: Mapping[str, Chat]
    permissions: Permissions
    quotas: Quotas
    clock: Clock
    changes: Changes
    templates: TemplateSources

    async def run(self, firing: Firing, *, by_person: bool = False) -> Report:
        """Starts the debates of one run and records how it went; an outside error becomes part of
        the report. ``by_person`` means that an authorized person requested the run now.
        """
        schedule = firing.schedule
        unread = bool(await self._unread(schedule))
        firing = replace(firing, owner_knows=unread or schedule.misses > 0)
        report = await self._report(firing, by_person=by_person)
        misses = await self.schedules.finish(
            firing, report.outcome, report.debates, report.heads, failed=report.failed
        )
        facts = {
            "action": "schedule_ran",
            "schedule": schedule.id,
            "outcome": report.outcome,
            "late": round(firing.late, 1),
        }
        logger.info("a schedule ran", extra=facts)
        if misses >= FAILURES:
            why = report.outcome.rstrip(".")
            reason = stored(
                "it failed {n} times in a row, the last time because: {why}", n=misses, why=why
            )
            await self._pause(schedule, reason)
        elif report.failed and not (report.paused or firing.owner_knows or by_person):
            what = (schedule.id, schedule.template, schedule.target, report.outcome)
            await self._tell(schedule, lambda: schedule_failed(*what))
        return report

    async def pause_place(self, place: str, reason: str) -> None:
        """Pauses the schedules of a channel that can't be posted to any more."""
        for schedule in await self.schedules.find_all(place):
            if schedule.enabled:
                why = stored("its channel can't be posted to. {why}", why=reason)
                await self._pause(schedule, why)

    async def _report(self, firing: Firing, *, by_person: bool) -> Report:
        grace = firing.schedule.grace
        if firing.late > grace:
            late = stored(
                "missed: it was {why_late} late, more than the {why_grace} it may be",
                why_late=lasting(60 * round(firing.late / 60)),
                why_grace=lasting(grace),
            )
            return Report(late)
        try:
            if not by_person:
                start = start_from_stored(firing.schedule.options)
                await self.permissions.require_firing(firing.schedule, start.models)
            return await self._start(firing)
        except DeliveryError as problem:
            if problem.kind == DeliveryFailure.DEAD:
                why = stored("its channel can't be posted to. {why}", why=problem)
                await self._pause(firing.schedule, why)
            text = stored("the chat did not list the members: {why}", why=problem)
            return Report(text, failed=True, paused=problem.kind == DeliveryFailure.DEAD)
        except StoreAway:  # the run is given out again when the database is back
            raise
        except DebateError as error:
            return Report(clean(str(error)), failed=True)

    async def _start(self, firing: Firing) -> Report:
        target = firing.schedule.target
        if (repository := repository_of(target)) is not None:
            return await self._start_pulls(firing, *repository)
        if looks_like_link(target):
            return await self._start_changed(firing)
        id = await self._start_debate(firing, target, "")
        return _started([id], None)

    async def _start_pulls(self, firing: Firing, host: str, repo: str) -> Report:
        schedule = firing.schedule
        wanted = filter_of(schedule.filters, self.clock.now())
        pulls = await self.library.open_pull_requests(repo, wanted, place=schedule.place, host=host)
        unread = await self._unread(schedule)
        changed = [
            link
            for link, head in pulls.items()
            if schedule.heads.get(link) != head or link in unread
        ]
        seen = dict(pulls)
        started: list[str] = []
        refusal = ""
        for n, link in enumerate(changed):
            try:
                id = await self._start_debate(firing, link, pulls[link])
            except TooMany as refused:
                refusal = f"; {len(changed) - n} more wait for the next run: {refused}"
                for later in changed[n:]:
                    del seen[later]
                break
            if id:
                started.append(id)
            elif id is None:
                del seen[link]
        older = [(link, head) for link, head in schedule.heads.items() if link not in seen]
        heads = dict([*older, *seen.items()][-_REMEMBERED:])
        if not pulls:
            return Report(stored("no open pull request matches"), (), heads)
        report = _started(started, heads)
        if refusal:
            return replace(report, outcome=report.outcome + refusal)
        return report

    async def _unread(self, schedule: Schedule) -> set[str]:
        """Returns the last run's targets whose debates never began; those are tried again without a
        new commit.
        """
        started = await self.schedules.last_debates(schedule.id, runs=2)
        debates = [await self.service.load(id) for id in started]
        return {d.request.target for d in debates if d.failure and not was_held(d)}

    async def _start_changed(self, firing: Firing) -> Report:
        schedule = firing.schedule
        kind = find(schedule.template, self.templates).material
        material = await self.library.read(
            ReadRequest(schedule.target, kind, budget=_WHOLE, place=schedule.place)
        )
        revision = material.revision
        if not revision:
            revision = hashlib.sha256(material.text.encode("utf-8", "replace")).hexdigest()
        unchanged = schedule.heads.get(schedule.target) == revision
        if unchanged and schedule.target not in await self._unread(schedule):
            return _started([], None)
        id = await self._start_debate(firing, schedule.target, revision)
        if id is None:
            return _started([], None)
        return _started([id], {schedule.target: revision})

    async def _start_debate(self, firing: Firing, target: str, head: str) -> str | None:
        """Starts a debate and returns its id; "" for a commit that was debated there before, by
        whatever request; None if a debate about the pull request still runs.
        """
        schedule = firing.schedule
        start = replace(start_from_stored(schedule.options), template=schedule.template)
        request = request_of(
            start, asker=schedule.owner, place=schedule.place, target=target, schedule=schedule.id
        )
        if (last := await self.changes.last(request)) is not None:
            followed, debate = last
            if not debate.over:
                return None
            if head_of(followed, debate) == head and was_held(debate):
                return ""
            request = replace(request, after=debate.id, story=followed.story)
        request = replace(request, told=firing.owner_knows)
        origin = _origin(firing, target, head)
        if platform_of(schedule.owner) == SHELL:
            id = await self.service.take(request, origin)
        else:
            async with self.quotas.started(schedule.owner, schedule.place):
                id = await self.service.take(request, origin)
        await self.changes.note(request, id, head)
        return id

    async def _pause(self, schedule: Schedule, reason: str) -> None:
        """Pauses a schedule that can't work and sends its owner the reason, if a chat can reach
        them.
        """
        await self.schedules.enable(schedule.id, False, None)
        facts = {"action": "schedule_paused", "schedule": schedule.id, "reason": reason}
        logger.warning("a schedule is paused", extra=facts)
        what = (schedule.id, schedule.template, schedule.target, reason)
        await self._tell(schedule, lambda: schedule_paused(*what))

    async def _tell(self, schedule: Schedule, write: Callable[[], str]) -> None:
        owner, place = schedule.owner, schedule.place
        if platform_of(owner) not in self.chats:
            return
        find = self.service.preparer.find_language
        with speaking(await language_of(self.chats, find, owner, place)):
            text = write()
        try:
            await tell(self.chats, schedule.place, schedule.owner, text, direct=True)
        except DeliveryError as problem:
            facts = {"action": "schedule_untold", "schedule": schedule.id, "reason": str(problem)}
            logger.warning("a schedule's owner got no message", extra=facts)


def _origin(firing: Firing, target: str, head: str) -> Origin:
    """Returns the origin of a run's debate: the same for each revision since the run before, so
    that two runs that were taken at the same moment start one debate.
    """
    before = ""
    if firing.before is not None:
        before = firing.before.isoformat()
    return Origin(Maker.SCHEDULE, f"{firing.schedule.id}:{before}:{head}:{target}")


def _started(debates: Sequence[str | None], heads: Mapping[str, str] | None) -> Report:
    ids = tuple(filter(None, debates))
    if not ids:
        return Report(stored("nothing has changed"), (), heads)
    names = ", ".join(f"`{id}`" for id in ids)
    return Report(stored("started {debates}", debates=names), ids, heads)
