"""Requests about schedules: add one, list them, and what is done to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from core.application.commands.actions import Action, RouteWork
from core.application.commands.arguments import Arguments, split_options
from core.application.commands.kinds import Duration, Each, TextKind, Whole
from core.application.commands.named import find_template
from core.application.commands.options import option, options_of
from core.application.commands.requests import shared
from core.application.commands.requests.starting import Start
from core.application.commands.row import ROWS, Group, Request, action_named, word
from core.application.commands.tokens import TypedLine, TypedToken
from core.debate.errors import BadInput
from core.languages import say
from core.words.views.language.grammar import did_you_mean

command = Group.START.command

_REPO = "https://github.com/OWNER/REPO"
SCHEDULE_VERBS = ("run", "pause", "resume", "remove")
_ACTIONS: Mapping[str, Action] = {
    "list": Action.ASK,
    "run": Action.RUN_SCHEDULE,
    "pause": Action.PAUSE_SCHEDULE,
    "resume": Action.RESUME_SCHEDULE,
    "remove": Action.REMOVE_SCHEDULE,
}


@dataclass(frozen=True, slots=True)
class ScheduleDo(Request):
    """A verb on schedules: list, run, pause, resume or remove."""

    action = Action.ASK
    stored = "what became of it"
    verb: str
    schedule: str = word("Which schedule", default="")
    json: bool = shared.as_json()

    @classmethod
    def of(cls, command: str, **words: Any) -> Self:
        return cls(command, **words)

    def asks_for(self) -> Action:
        return action_named(_ACTIONS, self.verb)


@dataclass(frozen=True, slots=True)
class Filters:
    """The pull requests that a schedule takes, if its target is a repository."""

    label: tuple[str, ...] = option(
        Each("a label"), "pull requests with this label", sign="L", most=1_000
    )
    base: str = option(
        TextKind("a branch"), "pull requests into this branch", sign="BRANCH", once=True
    )
    author: str = option(TextKind("a name"), "this person's pull requests", sign="NAME", once=True)
    since: float | None = option(
        Duration(366 * shared.DAY, stops=False),
        "pull requests changed since",
        sign="7d",
        once=True,
    )  # seconds
    at_most: int | None = option(
        Whole(1, 50), "the most pull requests each time", sign="N", once=True
    )


@command(
    "schedule",
    "debates that recur",
    'schedule add "CRON or words" {options} <template> <target> [filters]',
    "schedule list [--json]",
    "schedule run|pause|resume|remove ID",
    examples=(
        f'schedule add "weekdays at 9" --tz Europe/Berlin code_review {_REPO} --label review',
        f'schedule add "0 9 * * mon-fri" code_review {_REPO} --since 7d --at-most 3',
        "schedule pause s3f8a1",
    ),
    more=(
        "Filters for a repository's pull requests: "
        + " ".join(each.typed for each in options_of(Filters)),
    ),
    also=(ScheduleDo,),
    inner=(Start, Filters),
    raw=True,
)
@dataclass(frozen=True, slots=True)
class ScheduleAdd(Request):
    """``when`` is cron or words, as typed."""

    action = Action.SCHEDULE
    work = RouteWork.PROCESS
    stored = "a schedule"
    when: str
    start: Start
    filters: Filters = Filters()
    tz: str = option(
        TextKind("a time zone like Europe/Berlin"),
        "time zone, like Europe/Berlin",
        sign="ZONE",
        label="Time zone",
    )

    @classmethod
    def read(cls, given: Arguments) -> ScheduleAdd | ScheduleDo:
        tokens = given.words
        verb = next((token.text.lower() for token in tokens), "list")
        if verb == "add":
            return cls._read_new(given.line, tokens[1:])
        if verb not in ("list", "ls", *SCHEDULE_VERBS):
            every = ("add", "list", *SCHEDULE_VERBS)
            raise BadInput(
                "{verb} is none of {verbs}.{meant}",
                verb=repr(verb[:40]),
                verbs=", ".join(every),
                meant=did_you_mean(verb, every, before="schedule "),
            )
        rest = split_options(given.line, tokens[1:], options_of(ScheduleDo))
        if verb in SCHEDULE_VERBS:
            (schedule,) = rest.exactly(1, 1, say("the id of the schedule to {verb}", verb=verb))
            return rest.fill(ScheduleDo(verb, schedule))
        rest.exactly(0, 0, "no further words")
        return rest.fill(ScheduleDo("list"))

    @classmethod
    def _read_new(cls, typed: TypedLine, tokens: Sequence[TypedToken]) -> ScheduleAdd:
        """Reads a new schedule; ``when`` needs no quotes, because it ends at the template."""
        given = split_options(typed, tokens, ROWS["schedule"].options)
        words = given.words
        places = (i for i, t in enumerate(words) if i and find_template(t.text, typed.templates))
        at = next(places, 0)
        when, target = typed.text(words[:at]), typed.text(words[at + 1 :])
        if not (at and when and target):
            meant = ""
            if not at:
                guesses = (did_you_mean(t.text, typed.templates, 0.7) for t in words[1:])
                meant = next(filter(None, guesses), "")
            raise BadInput("It needs when, then a template and what to debate.{meant}", meant=meant)
        start = given.fill(Start(find_template(words[at].text, typed.templates), target))
        return given.fill(cls(when, start, given.fill(Filters())))
