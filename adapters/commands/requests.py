"""The requests that people can make, typed: Slack text, Discord options and the shell all become
one of these.

A field that is an option has its row at the field (``adapters.commands.options``): the grammar, the
help, Discord's commands, the forms and the stored form follow from it. Ids are as typed (a unique
prefix will do); an empty one means the debate of the thread in which the request was made.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from adapters.commands.kinds import (
    Day,
    Dollars,
    Duration,
    Each,
    Flag,
    Names,
    ShareKind,
    Tag,
    TextKind,
    Whole,
    WordKind,
)
from adapters.commands.options import OptionSurface, option
from core.complexity import Importance
from core.formats import FORMATS, PanelSize, Speaking
from core.formats.plan import CONTESTED, LEAST_OPENINGS, MOST_OPENINGS
from core.template import Mode

_DAY = 86400.0  # seconds
_LONGEST_ANSWER = 3600.0  # seconds
PRIORITIES = ("low", "normal", "high", "urgent")
_STAKES = (Importance.LOW, Importance.MEDIUM, Importance.HIGH, Importance.CRITICAL)


def _models() -> Any:
    """Returns the option that chooses models, for every request that has it."""
    return option(
        Names(),
        "who speaks, by litellm's names",
        sign="a,b,c",
        label="Models, with commas between",
        surfaces=OptionSurface.everywhere(),
    )


def _json() -> Any:
    return option(Flag(), "one JSON document", surfaces=OptionSurface.SHELL, of_debate=False)


def _plain() -> Any:
    return option(
        Flag(), "for pipes: no colour, nothing moves", surfaces=OptionSurface.SHELL, of_debate=False
    )


def _department(help: str, **more: Any) -> Any:
    return option(Tag("a name"), help, sign="NAME", **more)


def _priority(help: str, **more: Any) -> Any:
    return option(WordKind(PRIORITIES), help, sign="P", **more)


def _target_date(help: str, **more: Any) -> Any:
    return option(Day(), help, sign="DAY", **more)


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
        Whole(1, 9), "the most rounds, 1 to 9", sign="N", surfaces=OptionSurface.everywhere()
    )
    models: tuple[str, ...] = _models()
    seats: tuple[str, ...] = option(
        Names(),
        "who holds a seat: person:me, person:ACCOUNT, ROLE=token:NAME",
        sign="WHO",
        label="Seats held by people or programs",
        surfaces=OptionSurface.SHELL | OptionSurface.ROOM,
    )
    consensus: str = option(
        WordKind(tuple(Mode)), "how votes become a result", sign="MODE", letter="c"
    )
    threshold: float | None = option(
        ShareKind(), "share of all seats that decides, like 70%", sign="X", letter="t"
    )
    budget: float | None = option(
        Dollars(10_000),
        "never spend more than this",
        sign="USD",
        label="Budget in USD",
        surfaces=OptionSurface.everywhere(),
    )
    format: str = option(WordKind(tuple(FORMATS)), "how turns are taken", sign="F", letter="f")
    turns: str = option(
        WordKind(tuple(Speaking)),
        "who speaks when in its phases",
        sign="T",
        letter="u",
        formats=("phased",),
        scheduled=False,
    )
    convergence: float | None = option(
        ShareKind(nothing=True),
        "a round with less than this share new is the last",
        sign="X",
        letter="v",
        surfaces=OptionSurface.SHELL | OptionSurface.ROOM,
        scheduled=False,
    )
    form: str = option(
        WordKind(tuple(PanelSize)), "a panel's size", sign="F", letter="p", formats=("panel",)
    )
    importance: str = option(
        WordKind(_STAKES), "how large a panel it is worth", sign="I", letter="i", formats=("panel",)
    )
    openings: int | None = option(
        Whole(LEAST_OPENINGS, MOST_OPENINGS),
        "how many read a change on their own, 3 to 9",
        sign="N",
        surfaces=OptionSurface.SHELL | OptionSurface.ROOM,
        formats=(CONTESTED,),
    )
    debate_anyway: bool = option(Flag(), "even with nothing open", letter="a")
    prove: bool = option(
        Flag(),
        "prove what blocks and is contested by a test",
        letter="e",
        formats=(CONTESTED,),
        scheduled=False,
    )
    vote_window: float | None = option(
        Duration(7 * _DAY), "how long votes count", sign="10m", letter="w"
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
        TextKind("a SARIF file"),
        "a scanner's results, debated for whether they are real here",
        sign="FILE.sarif",
        surfaces=OptionSurface.SHELL,
    )
    with_remarks: bool = option(
        Flag(),
        "examine what others wrote on the pull request",
        letter="m",
        formats=(CONTESTED,),
        scheduled=False,
    )
    department: str = _department("label: whose question it is", letter="d")
    priority: str = _priority("label: how soon it matters", letter="r", scheduled=False)
    target_date: str = _target_date("label: when it is to be decided", letter="g", scheduled=False)
    quiet: bool = option(Flag(), "only the verdict", letter="q")
    json: bool = _json()
    plain: bool = _plain()
    check: bool = option(
        Flag(),
        "exit with 1 unless the verdict is reached and passes",
        surfaces=OptionSurface.SHELL,
        of_debate=False,
    )
    recheck: bool = option(
        Flag(),
        "only what is new since the last review of this change here",
        surfaces=OptionSurface.SHELL,
        of_debate=False,
    )
    only_blocking: bool = option(
        Flag(),
        "exit with 1 only when the verdict blocks, is not clear or left code unread",
        surfaces=OptionSurface.SHELL,
        of_debate=False,
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
    """Asks for a list of debates, narrowed by options; a day means debates due by then."""

    department: str = _department("of this department")
    priority: str = _priority("of this priority")
    target_date: str = _target_date("due by this day")
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Asks for the debates that hold all ``words``, among those that the asker may see."""

    words: str
    _: KW_ONLY
    template: str = option(
        TextKind("a template's name"), "of this kind", sign="NAME", of_debate=False
    )
    repository: str = option(
        TextKind("OWNER/REPO"), "about this repository", sign="OWNER/REPO", of_debate=False
    )
    decision: str = option(TextKind("an option"), "that ended so", sign="OPTION", of_debate=False)
    by: str = option(TextKind("a name"), "asked for by whose name has this", sign="NAME")
    mine: bool = option(Flag(), "asked for by you", of_debate=False)
    since: float | None = option(
        Duration(3660 * _DAY, stops=False), "asked for since", sign="30d", of_debate=False
    )  # seconds
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class Show:
    debate: str
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class Challenge:
    """``challenge [ID] TEXT``: an objection, about the ``finding`` if one is named; ``yes`` agrees
    to the price of the answers, if there is one to agree to.
    """

    text: str
    debate: str = ""
    yes: bool = False
    finding: str = ""


@dataclass(frozen=True, slots=True)
class HotSeat:
    """``hotseat [ID] WHAT``: the author of ``about``, a finding or the last words of a seat,
    answers those who disagree.
    """

    about: str
    debate: str = ""


@dataclass(frozen=True, slots=True)
class Prove:
    """``prove [ID] [FINDING]``: a finding is to be proven by a test."""

    debate: str = ""
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Vote:
    option: str
    debate: str = ""
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Control:
    """Asks a debate to pause, to resume or to stop."""

    verb: str
    debate: str = ""
    json: bool = _json()
    plain: bool = _plain()


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """Asks for the same debate again under one changed condition; with ``branch``, for several of
    them.
    """

    debate: str
    _: KW_ONLY
    at: int | None = option(Whole(1, 99_999), "how many events to keep", sign="N")
    without: str = option(TextKind("a seat"), "leave this seat out", sign="SEAT")
    assume: str = option(
        TextKind("a changed condition in words"), "take this as given", sign="TEXT"
    )
    models: tuple[str, ...] = _models()
    branch: tuple[str, ...] = option(
        Each("a branch"), "one of several branches, side by side: without SEAT, models a,b, "
        "assume TEXT or strict", sign="CHANGE", surfaces=OptionSurface.SHELL | OptionSurface.ROOM,
        of_debate=False,
    )  # fmt: skip
    json: bool = _json()
    plain: bool = _plain()
    yes: bool = _yes()


@dataclass(frozen=True, slots=True)
class Filters:
    """The pull requests that a schedule takes, if its target is a repository."""

    label: tuple[str, ...] = option(Each("a label"), "pull requests with this label", sign="L")
    base: str = option(
        TextKind("a branch"), "pull requests into this branch", sign="BRANCH", once=True
    )
    author: str = option(TextKind("a name"), "this person's pull requests", sign="NAME", once=True)
    since: float | None = option(
        Duration(366 * _DAY, stops=False),
        "pull requests changed since",
        sign="7d",
        once=True,
    )  # seconds
    at_most: int | None = option(
        Whole(1, 50), "the most pull requests each time", sign="N", once=True
    )


@dataclass(frozen=True, slots=True)
class ScheduleAdd:
    """``when`` is cron or words, as typed."""

    when: str
    start: Start
    filters: Filters = Filters()
    tz: str = option(
        TextKind("a time zone like Europe/Berlin"),
        "time zone, like Europe/Berlin",
        sign="ZONE",
        label="Time zone",
    )


@dataclass(frozen=True, slots=True)
class ScheduleDo:
    """A verb on schedules: list, run, pause, resume or remove."""

    verb: str
    schedule: str = ""
    json: bool = _json()


@dataclass(frozen=True, slots=True)
class Export:
    debate: str
    form: str = "md"  # md | json | html | play | sarif


@dataclass(frozen=True, slots=True)
class ReceiptRequest:
    debate: str


@dataclass(frozen=True, slots=True)
class ReplayRequest:
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
        TextKind("the hash that was shown"), "post the text that has this hash", sign="HASH",
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
        TextKind("a template's name"), "the template of these debates", sign="NAME", of_debate=False
    )
    budget: float | None = option(
        Dollars(10_000), "the most for each of them", sign="USD", of_debate=False
    )
    quiet: str = option(
        TextKind("hours like 22-7"), "hours in which none begins, or none", sign="22-7",
        name="quiet-hours",
        of_debate=False,
    )  # fmt: skip
    tz: str = option(
        TextKind("a time zone"), "time zone of these hours", sign="ZONE", label="Time zone",
        of_debate=False,
    )  # fmt: skip
    request_changes: str = option(
        WordKind(("yes", "no")), "may a blocking review ask for changes", sign="yes|no",
        label="May ask for changes",
        of_debate=False,
    )  # fmt: skip
    app: bool = option(
        Flag(), "the link that makes a GitHub App of your own", surfaces=OptionSurface.SHELL,
        of_debate=False,
    )  # fmt: skip
    channel: str = option(
        TextKind("a channel like slack:CHANNEL"), "the channel that it is bound to",
        sign="slack:CHANNEL",
        surfaces=OptionSurface.SHELL,
        of_debate=False,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class HookRequest:
    """Asks for one ``verb`` on webhooks: add | list | test | deliveries | replay | rotate |
    disable. ``target`` is the address for ``add``, else the webhook's id; ``debate`` is the debate
    to replay.
    """

    verb: str = "list"
    target: str = ""
    debate: str = ""
    kinds: tuple[str, ...] = option(
        Names(), "what it hears of; all is everything", sign="a,b", of_debate=False
    )
    full: bool = option(
        Flag(), "titles, places and words too, not only counts and hashes", of_debate=False
    )
    since: float | None = option(
        Duration(90 * _DAY, stops=False), "replay all that is younger", sign="7d", of_debate=False
    )
    channel: str = option(
        TextKind("a channel like slack:CHANNEL"), "the channel whose debates it hears of",
        sign="slack:CHANNEL", surfaces=OptionSurface.SHELL, of_debate=False,
    )  # fmt: skip


HOOK_VERBS = ("add", "list", "test", "deliveries", "replay", "rotate", "disable")


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


@dataclass(frozen=True, slots=True)
class Useful:
    """``useful [ID] yes|no``: was the verdict of use to the caller?"""

    useful: bool
    debate: str = ""


Request = (
    Start
    | Help
    | Templates
    | Status
    | Listing
    | SearchRequest
    | Show
    | Challenge
    | HotSeat
    | Prove
    | Vote
    | Control
    | ForkRequest
    | ScheduleAdd
    | ScheduleDo
    | Export
    | ReceiptRequest
    | ReplayRequest
    | Leaderboard
    | Mirror
    | PostReview
    | Setup
    | HookRequest
    | Compare
    | Held
    | Useful
)
