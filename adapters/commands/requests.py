"""What people can ask for, typed: Slack text, Discord options and the shell all become one of
these.

A field that is an option says so with its row (``adapters.commands.options``): the grammar, the
help, Discord's commands, the forms and what is stored follow from it. Ids are as typed (a unique
prefix will do); empty means the debate of the thread that the words were said in.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from adapters.commands.kinds import (
    Choice,
    Dollars,
    Duration,
    Each,
    Flag,
    Names,
    Share,
    Whole,
    Words,
)
from adapters.commands.options import Surface, option
from core.complexity import Importance
from core.formats import FORMATS, Form
from core.template import Mode

_DAY = 86400.0  # seconds
_LONGEST_ANSWER = 3600.0  # seconds
_STAKES = (Importance.LOW, Importance.MEDIUM, Importance.HIGH, Importance.CRITICAL)


def _models() -> Any:
    """Who speaks, wherever that can be said."""
    return option(
        Names(),
        "who speaks; names as litellm has them",
        sign="a,b,c",
        label="Models, with commas between",
        surfaces=Surface.everywhere(),
    )


def _json() -> Any:
    return option(Flag(), "one JSON document", surfaces=Surface.SHELL, of_debate=False)


def _plain() -> Any:
    return option(
        Flag(), "for pipes: no colour, nothing moves", surfaces=Surface.SHELL, of_debate=False
    )


def _yes() -> Any:
    return option(Flag(), "do not ask before spending", letter="y", of_debate=False)


@dataclass(frozen=True, slots=True)
class Start:
    """``<template> <target> [options]``.

    A question without a template is ``panel`` on that question. ``text`` is an attachment's or a
    thread's own text as the material.
    """

    template: str
    target: str
    _: KW_ONLY
    rounds: int | None = option(
        Whole(1, 9), "at most so many rounds, 1 to 9", sign="N", surfaces=Surface.everywhere()
    )
    models: tuple[str, ...] = _models()
    consensus: str = option(
        Choice(tuple(Mode)), "how votes become a result", sign="MODE", letter="c"
    )
    threshold: float | None = option(
        Share(), "share of all seats that decides, like 0.7 or 70%", sign="X", letter="t"
    )
    budget: float | None = option(
        Dollars(10_000),
        "never spend more than this",
        sign="USD",
        label="Budget in USD",
        surfaces=Surface.everywhere(),
    )
    format: str = option(Choice(tuple(FORMATS)), "how turns are taken", sign="F", letter="f")
    form: str = option(
        Choice(tuple(Form)), "a panel's size", sign="F", letter="p", formats=("panel",)
    )
    importance: str = option(
        Choice(_STAKES), "how large a panel it is worth", sign="I", letter="i", formats=("panel",)
    )
    debate_anyway: bool = option(Flag(), "even with nothing open", letter="a")
    vote_window: float | None = option(
        Duration(7 * _DAY), "how long votes count at the end", sign="10m", letter="w"
    )  # seconds
    timeout: float | None = option(
        Duration(_LONGEST_ANSWER, stops=False),
        "time limit of one answer",
        sign="3m",
        letter="o",
    )  # seconds
    search: bool = option(Flag(), "let seats search the web", letter="s")
    fresh: bool = option(Flag(), "no precedents", letter="n")
    evidence: str = option(
        Words("a SARIF file"),
        "a scanner's results, debated for whether they are real here",
        sign="FILE.sarif",
        surfaces=Surface.SHELL,
    )
    quiet: bool = option(Flag(), "only the verdict", letter="q")
    json: bool = _json()
    plain: bool = _plain()
    check: bool = option(
        Flag(), "exit with 1 when the verdict blocks", surfaces=Surface.SHELL, of_debate=False
    )
    yes: bool = _yes()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Help:
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Templates:
    name: str = ""
    check: str = ""
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class Status:
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class Listing:
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class Show:
    debate: str
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class Challenge:
    text: str
    debate: str = ""


@dataclass(frozen=True, slots=True)
class Vote:
    option: str
    debate: str = ""
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Control:
    """pause | resume | stop."""

    verb: str
    debate: str = ""
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """The same debate again under one changed condition."""

    debate: str
    _: KW_ONLY
    at: int | None = option(Whole(1, 99_999), "how many events to keep", sign="N")
    without: str = option(Words("a seat"), "leave this seat out", sign="SEAT")
    assume: str = option(Words("a changed condition in words"), "take this as given", sign="TEXT")
    models: tuple[str, ...] = _models()
    json: bool = _json()
    plain: bool = _plain()
    yes: bool = _yes()


@dataclass(frozen=True, slots=True)
class Filters:
    """Which pull requests a schedule takes, where its target is a repository."""

    label: tuple[str, ...] = option(Each("a label"), "pull requests with this label", sign="L")
    base: str = option(
        Words("a branch"), "pull requests into this branch", sign="BRANCH", once=True
    )
    author: str = option(Words("a name"), "this person's pull requests", sign="NAME", once=True)
    since: float | None = option(
        Duration(366 * _DAY, stops=False),
        "pull requests changed since",
        sign="7d",
        once=True,
    )  # seconds
    at_most: int | None = option(
        Whole(1, 50), "so many pull requests each time", sign="N", once=True
    )


@dataclass(frozen=True, slots=True)
class ScheduleAdd:
    """``when`` is cron or words, as typed."""

    when: str
    start: Start
    filters: Filters = Filters()
    tz: str = option(
        Words("a time zone like Europe/Berlin"),
        "time zone, like Europe/Berlin",
        sign="ZONE",
        label="Time zone",
    )


@dataclass(frozen=True, slots=True)
class ScheduleDo:
    """list | run | pause | resume | remove."""

    verb: str
    schedule: str = ""
    json: bool = _json()


@dataclass(frozen=True, slots=True)
class Export:
    debate: str
    form: str = "md"  # md | json | html


@dataclass(frozen=True, slots=True)
class ReceiptRequest:
    debate: str


@dataclass(frozen=True, slots=True)
class Leaderboard:
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class Mirror:
    debate: str
    place: str


@dataclass(frozen=True, slots=True)
class PostReview:
    """``post ID [--approve HASH]``: the review of a pull request as it would be posted, or its
    approval.
    """

    debate: str
    approve: str = option(
        Words("the hash that was shown"), "post the text that has this hash", sign="HASH",
        of_debate=False,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Setup:
    """``setup github|gitlab [REPOSITORY [off]]``; without a repository it shows what is bound here,
    and how to link the forge.

    None leaves a rule as it is.
    """

    repository: str = ""
    off: bool = False
    _: KW_ONLY
    forge: str = "github"
    labels: tuple[str, ...] = option(
        Names(), "labels that start a debate on a pull request (none for no label)", sign="a,b",
        of_debate=False,
    )  # fmt: skip
    on: tuple[str, ...] = option(
        Names(), "what else starts one: comment, opened, drafts, push; or none", sign="a,b",
        label="What else starts one",
        of_debate=False,
    )  # fmt: skip
    template: str = option(
        Words("a template's name"), "the template of these debates", sign="NAME", of_debate=False
    )
    budget: float | None = option(
        Dollars(10_000), "at most so much for each of them", sign="USD", of_debate=False
    )
    quiet: str = option(
        Words("hours like 22-7"), "hours in which none begins, or none", sign="22-7",
        name="quiet-hours",
        of_debate=False,
    )  # fmt: skip
    tz: str = option(
        Words("a time zone"), "time zone of these hours", sign="ZONE", label="Time zone",
        of_debate=False,
    )  # fmt: skip
    request_changes: str = option(
        Choice(("yes", "no")), "may a blocking review ask for changes", sign="yes|no",
        label="May ask for changes",
        of_debate=False,
    )  # fmt: skip
    channel: str = option(
        Words("a channel like slack:CHANNEL"), "the channel, where it is not this one",
        sign="slack:CHANNEL",
        surfaces=Surface.SHELL,
        of_debate=False,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Compare:
    """``compare A B`` reads two debates; ``compare QUESTION`` runs the panel that ``start`` says in
    both forms and compares them.
    """

    first: str = ""
    second: str = ""
    start: Start | None = None
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class Held:
    """``held ID yes|no [why]``: did the verdict hold? The only ground truth that ratings use."""

    debate: str
    held: bool
    why: str = ""


Request = (
    Start
    | Help
    | Templates
    | Status
    | Listing
    | Show
    | Challenge
    | Vote
    | Control
    | ForkRequest
    | ScheduleAdd
    | ScheduleDo
    | Export
    | ReceiptRequest
    | Leaderboard
    | Mirror
    | PostReview
    | Setup
    | Compare
    | Held
)
