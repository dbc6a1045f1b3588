"""The desk's part for schedules: adding one, listing them, pausing, resuming, removing, and a run
now.

A schedule belongs to its place and its owner: it is seen where it posts, by its owner anywhere, and
in the shell. Its id follows from the platform's own id of the event that asked for it, so that a
redelivery adds nothing twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import msgspec

from adapters.commands.options import options_of
from adapters.commands.requests import Filters, ScheduleAdd, ScheduleDo
from adapters.forges.links import looks_like_link
from adapters.ports.chat import File
from adapters.ports.desk import Answer, Caller, Glance
from adapters.ports.place import Place
from adapters.posts.words import name_of, state_line
from adapters.templates.catalogue import find
from bot.desk.permissions import permit
from bot.schedules.cron import rule
from bot.schedules.fire import Firings, filter_of, following, repository_of
from core.errors import BadInput
from core.material.plaintext import neutral
from storage.schedules import Schedule

if TYPE_CHECKING:
    from bot.wire import House

GRACE = 3600.0
"""Seconds that a firing may be late (a restart, a busy replica); one that is later is missed and
said so.
"""
LONGEST_LIST = 20


@dataclass(slots=True)
class Timetable:
    house: House

    async def add(self, ask: ScheduleAdd, caller: Caller) -> Answer:
        """Raises ``BadInput``.

        Nothing is asked of a forge here: what can't be read is told when it fires.
        """
        when = rule(ask.when, ask.tz)
        target = ask.start.target.strip()
        self._check_target(target, ask)
        id = "s" + hashlib.sha256(caller.source.encode()).hexdigest()[:7]
        known = await self.house.schedules.get(id)
        if known is None:
            now = self.house.clock.now()
            known = Schedule(
                id=id,
                cron=when.cron,
                tz=when.tz,
                grace=GRACE,
                next_at=when.after(now),
                template=ask.start.template,
                target=target if looks_like_link(target) else self.house.redact(target),
                place=caller.place,
                owner=self.house.person(caller.person),
                created_at=now,
                options=msgspec.to_builtins(ask.start),
                filters=filters_of(ask.filters),
            )
            await self.house.schedules.add(known)
        first = local(known.next_at, known.tz)
        what = f"{known.template} on {neutral(known.target)}"
        return Answer(
            f"Schedule `{id}`: {what}, `{known.cron}` in {known.tz}. First: {first}. Try it now: "
            f"schedule run {id}"
        )

    def _check_target(self, target: str, ask: ScheduleAdd) -> None:
        expects = find(ask.start.template, self.house.settings.templates_dir).material
        filters = filters_of(ask.filters)
        if repository_of(target) is not None:
            filter_of(filters, self.house.clock.now())
            if expects not in ("", "pull_request"):
                raise BadInput(
                    f"{ask.start.template} does not debate pull requests: schedule code_review, "
                    "or give a link or a question."
                )
        elif filters:
            raise BadInput(
                f"--{next(iter(filters))} chooses among pull requests: it needs a target like "
                "github:OWNER/REPO."
            )
        elif expects == "pull_request" and not looks_like_link(target):
            raise BadInput(
                f"A scheduled {ask.start.template} needs the link of a pull request, or "
                "github:OWNER/REPO for all open ones."
            )

    async def do(self, ask: ScheduleDo, caller: Caller) -> Answer:
        if ask.verb == "list":
            return await self._list(caller)
        schedule = await self._named(ask.schedule, caller)
        permit(self.house, schedule.owner, caller, f"{ask.verb} this schedule")
        match ask.verb:
            case "pause":
                await self.house.schedules.enable(schedule.id, False, None)
                return Answer(
                    f"Schedule `{schedule.id}` is paused. Let it go on with: schedule resume "
                    f"{schedule.id}"
                )
            case "resume":
                coming = following(schedule, self.house.clock.now())
                await self.house.schedules.enable(schedule.id, True, coming)
                return Answer(
                    f"Schedule `{schedule.id}` goes on. Next: {local(coming, schedule.tz)}."
                )
            case "remove":
                await self.house.schedules.remove(schedule.id)
                return Answer(f"Schedule `{schedule.id}` is gone.")
            case "run":
                return await self._run(schedule, caller)
            case _:
                raise BadInput("A schedule can be added, listed, run, paused, resumed and removed.")

    async def _run(self, schedule: Schedule, caller: Caller) -> Answer:
        if not await self.house.messages.take_event(f"schedule-run:{caller.source}"):
            return Answer(f"Schedule `{schedule.id}` was run already.")
        firing = await self.house.schedules.take_now(schedule.id, self.house.owner)
        report = await Firings(self.house).run(firing)
        return Answer(f"Schedule `{schedule.id}`: {report.outcome}.", ok=not report.failed)

    async def _named(self, id: str, caller: Caller) -> Schedule:
        found = await self.house.schedules.get(id.strip("`#").lower())
        if found is None or not self._visible(found, caller):
            raise BadInput(
                f"There is no schedule {id[:40]!r} here: schedule list shows those there are."
            )
        return found

    def _visible(self, schedule: Schedule, caller: Caller) -> bool:
        return (
            caller.shell
            or schedule.place == caller.place
            or schedule.owner == self.house.person(caller.person)
        )

    async def _list(self, caller: Caller) -> Answer:
        seen = [s for s in await self.house.schedules.find_all() if self._visible(s, caller)]
        lines = [await self._line(s, caller) for s in seen[:LONGEST_LIST]]
        if len(seen) > LONGEST_LIST:
            lines.append(f"... and {len(seen) - LONGEST_LIST} more")
        empty = (
            'No schedules here. Add one: schedule add "every weekday 09:00" code_review '
            "github:OWNER/REPO"
        )
        document = json.dumps([row(s) for s in seen], ensure_ascii=False, indent=2)
        return Answer("\n".join(lines) or empty, files=(File("schedules.json", document),))

    async def _line(self, schedule: Schedule, caller: Caller) -> str:
        coming = f"next {local(schedule.next_at, schedule.tz)}" if schedule.enabled else "paused"
        last = await self._last(schedule)
        head = (
            f"- `{schedule.id}` `{schedule.cron}` {schedule.tz}: {schedule.template} on "
            f"{neutral(schedule.target)}, {coming}"
        )
        whose = (
            "yours"
            if schedule.owner == self.house.person(caller.person)
            else f"by {name_of(schedule.owner)}"
        )
        return f"{head}, {whose}" + (f"; last: {last}" if last else "")

    async def _last(self, schedule: Schedule) -> str:
        """How the last run went; what became of its debates if it started any."""
        runs = await self.house.schedules.load_runs(schedule.id, limit=1)
        if not runs or not runs[0].debates:
            return neutral(schedule.outcome)
        ended = [await self.house.load(id) for id in runs[0].debates[:3]]
        more = f" and {len(runs[0].debates) - 3} more" if len(runs[0].debates) > 3 else ""
        return "; ".join(f"`{d.id}` {neutral(state_line(d))}" for d in ended) + more

    async def glances(self, workspace: str) -> tuple[Glance, ...]:
        """Schedules of one workspace for its home pages.

        A private repository is not named there: a home has no channel.
        """
        out = []
        for s in await self.house.schedules.find_all():
            if workspace == Place.parse(s.place).workspace_key != "":
                bound = await self.house.places.repositories(s.place)
                hidden = any(repository in s.target.lower() for repository in bound)
                detail = f"next {local(s.next_at, s.tz)}" if s.enabled else "paused"
                title = "private material" if hidden else s.target
                status = "active" if s.enabled else "paused"
                last = "" if hidden else await self._last(s)
                told = f"{s.cron} {s.tz}, {detail}" + (f"; last: {last}" if last else "")
                out.append(Glance(s.id, f"{s.template}: {title}"[:80], status, told, s.place))
        return tuple(out)


def filters_of(filters: Filters) -> dict[str, str]:
    """The filters that are set, by name; several labels are one a line, and all of them count."""
    written = {each.name: each.write(getattr(filters, each.field)) for each in options_of(Filters)}
    return {name: text for name, text in written.items() if text}


def local(moment: datetime | None, tz: str) -> str:
    """A time as the clock of the schedule's zone shows it."""
    return (
        moment.astimezone(ZoneInfo(tz)).strftime("%a %Y-%m-%d %H:%M %Z")
        if moment is not None
        else "never"
    )


def row(schedule: Schedule) -> Mapping[str, Any]:
    """One item of ``schedule list --json``."""
    return {
        "id": schedule.id,
        "cron": schedule.cron,
        "tz": schedule.tz,
        "template": schedule.template,
        "target": schedule.target,
        "filters": dict(schedule.filters),
        "place": schedule.place,
        "owner": schedule.owner,
        "enabled": schedule.enabled,
        "next_at": schedule.next_at.isoformat() if schedule.next_at else None,
        "outcome": schedule.outcome,
    }
