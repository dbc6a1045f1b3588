"""What people can ask for, typed: Slack text, Discord options and the shell all become one of
these.

``adapters.commands`` reads them from text and writes them back. Ids are as typed (a unique prefix
will do); empty means the debate of the thread that the words were said in.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Start:
    """``<template> <target> [options]``.

    A question without a template is ``panel`` on that question.
    """

    template: str
    target: str
    rounds: int | None = None
    models: tuple[str, ...] = ()
    consensus: str = ""
    threshold: float | None = None
    budget: float | None = None
    format: str = ""
    vote_window: float | None = None  # seconds
    quiet: bool = False
    search: bool = False
    check: bool = False  # shell: exit with 1 when the verdict blocks
    json: bool = False
    yes: bool = False  # do not ask before spending
    text: str = ""  # an attachment's or thread's own text as the material
    extras: tuple[tuple[str, str], ...] = ()  # the format's own options: form, importance


@dataclass(frozen=True, slots=True)
class Help:
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Templates:
    name: str = ""
    check: str = ""
    json: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    json: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    json: bool = False


@dataclass(frozen=True, slots=True)
class Show:
    debate: str
    json: bool = False


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
    json: bool = False


@dataclass(frozen=True, slots=True)
class ForkRequest:
    debate: str
    at: int | None = None
    without: str = ""
    assume: str = ""
    models: tuple[str, ...] = ()
    json: bool = False
    yes: bool = False


@dataclass(frozen=True, slots=True)
class ScheduleAdd:
    when: str  # cron or words, as typed
    start: Start
    tz: str = ""
    filters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ScheduleDo:
    """list | run | pause | resume | remove."""

    verb: str
    schedule: str = ""
    json: bool = False


@dataclass(frozen=True, slots=True)
class Export:
    debate: str
    form: str = "md"  # md | json | html


@dataclass(frozen=True, slots=True)
class ReceiptRequest:
    debate: str


@dataclass(frozen=True, slots=True)
class Leaderboard:
    json: bool = False


@dataclass(frozen=True, slots=True)
class Mirror:
    debate: str
    place: str


@dataclass(frozen=True, slots=True)
class Setup:
    """``setup github OWNER/REPO [off]``."""

    repository: str
    off: bool = False


@dataclass(frozen=True, slots=True)
class Compare:
    """``compare A B`` reads two debates; ``compare QUESTION`` runs the panel in both forms and
    compares them.
    """

    first: str
    second: str = ""
    question: str = ""
    options: tuple[tuple[str, str], ...] = field(default_factory=tuple)
    json: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """``held ID yes|no``: did the verdict hold? The only ground truth that ratings use."""

    debate: str
    held: bool


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
    | Setup
    | Compare
    | Held
)
