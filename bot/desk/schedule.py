"""The desk's part for schedules: it adds, lists, pauses, resumes and removes them, and runs one at
once.

A schedule's id follows from the platform's own id of the request, so that an event delivered twice
adds only one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

from adapters.forges.links import looks_like_link
from adapters.material.library import storable_target
from adapters.templates.catalogue import find
from adapters.text.links import moment_link
from bot.debates.origins import Origin, asked_by
from bot.desk.handlers import handles
from bot.desk.lookup import places_of
from bot.desk.parts import DeskParts
from bot.forges.names import names_in
from bot.schedules.cron import Rule, rule
from bot.schedules.targets import filter_of, repository_of
from bot.schedules.tick import next_firing
from core.application.commands.actions import Action
from core.application.commands.options import written
from core.application.commands.requests import Filters, ScheduleAdd, ScheduleDo
from core.application.desk import Caller, DeskAnswer, Glance, json_file
from core.application.permissions import NotVisible
from core.application.place import Place
from core.application.schedules import ListedSchedule, Schedule, row_of
from core.debate.errors import BadInput, Refused
from core.debate.material.plaintext import neutral
from core.languages import say, weekday
from core.languages.stored import say_stored
from core.words.views.course.progress import state_line
from core.words.views.language.people import person_name

_GRACE = 3600.0
"""Seconds by which a firing may be late (after a restart, in a busy replica); a later one is
missed, and the schedule says so.
"""
_LONGEST_LIST = 20
_OTHER_IDS = 8
_COMING = 3
"""The most next firings of a schedule that are shown."""
_SHOWN_DEBATES = 3
"""The most debates of a schedule's last run that are shown."""


async def add_schedule(desk: DeskParts, request: ScheduleAdd, caller: Caller) -> DeskAnswer:
    """Adds a schedule. Raises ``BadInput``. It reads no target: one that can't be read is
    reported when the schedule fires. The readers of its thread see it.
    """
    when = rule(request.when, request.tz)
    owner = desk.permissions.person(caller.person)
    pause = when.shortest_pause(desk.clock.now())
    async with desk.quotas.schedule(caller, owner, pause):
        known = await _keep(desk, request, caller, owner, when)
    first = _local(known.next_at, known.tz, caller)
    text = say(
        "Schedule {id}: {template} on {target}, {when} ({cron}). First: {first}. Try it now: "
        "{command}",
        id=f"`{known.id}`",
        template=known.template,
        target=neutral(known.target),
        when=when.words,
        cron=f"`{when.cron}`",
        first=first,
        command=f"{caller.prefix} schedule run {known.id}",
    )
    return DeskAnswer(text, private=not caller.thread)


async def _keep(
    desk: DeskParts, request: ScheduleAdd, caller: Caller, owner: str, when: Rule
) -> Schedule:
    target = request.start.target.strip()
    _check_target(desk, target, request)
    id, known = await _id(desk, asked_by(owner, f"{caller.place} {caller.source}"), owner)
    if known is None:
        now = desk.clock.now()
        known = Schedule(
            id=id,
            cron=when.cron,
            tz=when.tz,
            grace=_GRACE,
            next_at=when.after(now),
            template=request.start.template,
            target=storable_target(target),
            place=caller.place,
            owner=owner,
            created_at=now,
            options=msgspec.to_builtins(request.start),
            filters=_filters_of(request.filters),
        )
        await desk.stores.schedules.add(known)
    return known


async def _id(desk: DeskParts, origin: Origin, owner: str) -> tuple[str, Schedule | None]:
    """Returns the id for a request, and the schedule that the person already has under it. Ids
    are short: if another person has the same id, another is made.
    """
    for again in range(_OTHER_IDS):
        id = "s" + hashlib.sha256(f"{origin}{' ' * again}".encode()).hexdigest()[:7]
        known = await desk.stores.schedules.get(id)
        if known is None or known.owner == owner:
            return id, known
    raise Refused("No id is free for it. Ask again.")


@handles(ScheduleDo)
async def change_schedule(desk: DeskParts, request: ScheduleDo, caller: Caller) -> DeskAnswer:
    """Lists all schedules, or pauses, resumes, removes or runs one. Raises
    ``BadInput``, ``Refused``.
    """
    if request.verb == "list":
        return await _list(desk, caller)
    action = request.asks_for()
    schedule = await _find(desk, request.schedule, action, caller)
    id = f"`{schedule.id}`"
    match action:
        case Action.PAUSE_SCHEDULE:
            await desk.stores.schedules.enable(schedule.id, False, None)
            again = f"{caller.prefix} schedule resume {schedule.id}"
            text = say("Schedule {id} is paused. Let it continue with: {again}", id=id, again=again)
        case Action.RESUME_SCHEDULE:
            coming = next_firing(schedule, desk.clock.now())
            await desk.stores.schedules.enable(schedule.id, True, coming)
            at = _local(coming, schedule.tz, caller)
            text = say("Schedule {id} is resumed. Next: {at}.", id=id, at=at)
        case Action.REMOVE_SCHEDULE:
            await desk.stores.schedules.remove(schedule.id)
            text = say("Schedule {id} is gone.", id=id)
        case _:
            return await _run(desk, schedule, caller)
    return DeskAnswer(text)


async def schedule_page(
    desk: DeskParts, caller: Caller, after: tuple[datetime | None, str] | None, limit: int
) -> Sequence[Schedule]:
    """Returns the schedules of the caller's workspace, and their own, that come after a given
    time and id: the next to fire first and paused ones last.
    """
    within = places_of(caller)
    own = desk.permissions.person(caller.person)
    schedules: list[Schedule] = []
    while len(schedules) < limit:
        page = await desk.stores.schedules.find_page(limit, after, within, own)
        schedules += await desk.permissions.visible(caller, page)
        if len(page) < limit:
            break
        after = (page[-1].next_at, page[-1].id)
    return schedules[:limit]


async def listed_schedules(
    desk: DeskParts, caller: Caller, after: tuple[datetime | None, str] | None, limit: int
) -> Sequence[ListedSchedule]:
    """Returns a page of schedules, each with its next times and its last run."""
    return [
        await _listed(desk, one, caller) for one in await schedule_page(desk, caller, after, limit)
    ]


async def _listed(desk: DeskParts, schedule: Schedule, caller: Caller) -> ListedSchedule:
    debates = await desk.stores.schedules.last_debates(schedule.id)
    mine = await desk.permissions.may(caller, Action.PAUSE_SCHEDULE, schedule)
    return ListedSchedule(schedule, _when(schedule), _next_times(schedule), tuple(debates), mine)


async def glances(desk: DeskParts, caller: Caller, workspace: str) -> tuple[Glance, ...]:
    """Returns the schedules of one workspace that the caller may see, for their home page. It
    names no private repository, since a home page belongs to no channel.
    """
    if not workspace:
        return ()
    listed = [
        schedule
        for schedule in await desk.stores.schedules.find_all()
        if Place.parse(schedule.place).workspace_key == workspace
    ]
    seen = await desk.permissions.visible(caller, listed)
    return tuple([await _glance(desk, schedule) for schedule in seen])


def _check_target(desk: DeskParts, target: str, request: ScheduleAdd) -> None:
    expects = find(request.start.template, desk.sources).material
    filters = _filters_of(request.filters)
    if repository_of(target) is not None:
        filter_of(filters, desk.clock.now())
        if expects not in ("", "pull_request"):
            raise BadInput(
                "{template} does not debate pull requests: schedule code_review, or give a "
                "link or a question.",
                template=request.start.template,
            )
    elif filters:
        raise BadInput(
            "--{option} chooses among pull requests: it needs a target like github:OWNER/REPO.",
            option=next(iter(filters)),
        )
    elif expects == "pull_request" and not looks_like_link(target):
        raise BadInput(
            "A scheduled {template} needs the link of a pull request, or github:OWNER/REPO "
            "for all open ones.",
            template=request.start.template,
        )


async def _run(desk: DeskParts, schedule: Schedule, caller: Caller) -> DeskAnswer:
    if not await desk.stores.messages.take_event(f"schedule-run:{caller.source}"):
        return DeskAnswer(say("Schedule {id} was run already.", id=f"`{schedule.id}`"))
    firing = await desk.stores.schedules.take_now(schedule.id, desk.owner)
    report = await desk.firings.run(firing, by_person=True)
    outcome = say(
        "Schedule {id}: {outcome}.",
        id=f"`{schedule.id}`",
        outcome=say_stored(report.outcome.rstrip(".")),
    )
    return DeskAnswer(outcome, ok=not report.failed)


async def _find(desk: DeskParts, id: str, action: Action, caller: Caller) -> Schedule:
    schedule = await desk.stores.schedules.get(id.strip("`#").lower())
    try:
        if schedule is not None:
            await desk.permissions.require(caller, action, schedule)
            return schedule
    except NotVisible:
        pass
    raise BadInput(
        "There is no schedule {id} here: `{prefix} schedule list` shows those there are.",
        id=repr(id[:40]),
        prefix=caller.prefix,
    )


async def _list(desk: DeskParts, caller: Caller) -> DeskAnswer:
    seen = await desk.permissions.visible(caller, await desk.stores.schedules.find_all())
    first = seen[:_LONGEST_LIST]
    names = await names_in(desk.chats)(list(dict.fromkeys(s.owner for s in first)))
    lines = [await _line(desk, s, caller, names.get(s.owner, "")) for s in first]
    if len(seen) > _LONGEST_LIST:
        lines.append(say("... and {n} more", n=len(seen) - _LONGEST_LIST))
    add = f'{caller.prefix} schedule add "every weekday 09:00" code_review github:OWNER/REPO'
    empty = say("No schedules here. Add one: {command}", command=add)
    file = json_file("schedules.json", [row_of(s) for s in seen])
    return DeskAnswer("\n".join(lines) or empty, files=(file,))


async def _line(desk: DeskParts, schedule: Schedule, caller: Caller, owner: str) -> str:
    whose = say("by {name}", name=neutral(owner or person_name(schedule.owner)))
    if schedule.owner == desk.permissions.person(caller.person):
        whose = say("yours")
    what = say("{what} on {target}", what=schedule.template, target=neutral(schedule.target))
    line = f"- `{schedule.id}` {_when(schedule)}: {what}, {_coming(schedule, caller)}, {whose}"
    return _with_last(line, await _last(desk, schedule))


async def _glance(desk: DeskParts, schedule: Schedule) -> Glance:
    bound = await desk.stores.places.repositories(schedule.place)
    title, last = schedule.target, await _last(desk, schedule)
    if any(repository in schedule.target.lower() for repository in bound):
        title, last = say("private material"), ""
    status = say("active") if schedule.enabled else say("paused")
    detail = f"{_when(schedule)}, {_coming(schedule, None)}"
    return Glance(
        schedule.id,
        f"{schedule.template}: {title}"[:80],
        status,
        _with_last(detail, last),
        schedule.place,
    )


async def _last(desk: DeskParts, schedule: Schedule) -> str:
    """Describes how the last run went, and the state of its debates if it started any."""
    debates = await desk.stores.schedules.last_debates(schedule.id)
    if not debates:
        return neutral(say_stored(schedule.outcome))
    ended = [await desk.service.load(id) for id in debates[:_SHOWN_DEBATES]]
    text = "; ".join(f"`{d.id}` {neutral(state_line(d))}" for d in ended)
    if len(debates) > _SHOWN_DEBATES:
        text += f" {say('and {n} more', n=len(debates) - _SHOWN_DEBATES)}"
    return text


def _with_last(line: str, last: str) -> str:
    if not last:
        return line
    return say("{line}; last: {last}", line=line, last=last)


def _filters_of(filters: Filters) -> dict[str, str]:
    """Returns the filters that are set, by name; several labels are on a line each, and all of them
    must match.
    """
    return {field.replace("_", "-"): text for field, text in written(filters).items()}


def _when(schedule: Schedule) -> str:
    return Rule(schedule.cron, schedule.tz).words


def _next_times(schedule: Schedule) -> tuple[datetime, ...]:
    if not schedule.enabled or schedule.next_at is None:
        return ()
    times = [schedule.next_at]
    while len(times) < _COMING and (after := next_firing(schedule, times[-1])) is not None:
        times.append(after)
    return tuple(times)


def _coming(schedule: Schedule, caller: Caller | None) -> str:
    if schedule.enabled:
        return say("next {at}", at=_local(schedule.next_at, schedule.tz, caller))
    return say("paused")


def _local(moment: datetime | None, tz: str, caller: Caller | None) -> str:
    """Formats a time by the clock of the schedule's zone, and by the caller's clock if it is known
    and differs.
    """
    if moment is None:
        return say("never")
    there = moment.astimezone(ZoneInfo(tz))
    here = moment.astimezone()
    text = f"{weekday(there)} {there:%Y-%m-%d %H:%M %Z}"
    if caller is not None and caller.sees_own_time:
        return moment_link(moment, text)
    if caller is not None and caller.shell and here.utcoffset() != there.utcoffset():
        return say("{at} ({here} here)", at=text, here=f"{weekday(here)} {here:%H:%M %Z}")
    return text
