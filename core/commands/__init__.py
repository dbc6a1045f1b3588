"""What was asked of a running debate.

``core.debate.decide`` turns a command into events or refuses it with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RaiseChallenge:
    """``to`` names seats or aliases; empty lets the core choose who is concerned."""

    author: str
    text: str
    to: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class AskSeat:
    """Whoever said ``subject`` (a turn's or a finding's id) is to answer those who disagree.
    ``own``: the debate is theirs, or nobody else is where they ask, so that they need no second.
    """

    by: str
    subject: str
    own: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class CastVote:
    """``subject`` is "" for the verdict, a finding's id or a turn's for its statement; ``option``
    may be typed loosely ("1", "Approve").
    """

    voter: str
    option: str
    subject: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class WithdrawVote:
    voter: str
    option: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Resume:
    by: str


@dataclass(frozen=True, slots=True)
class Stop:
    by: str
    reason: str = "human"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AddPlace:
    place: str
    by: str


@dataclass(frozen=True, slots=True)
class ShowWhole:
    """Somebody wants to read all of a debate that was asked to be quiet."""

    by: str


@dataclass(frozen=True, slots=True)
class CloseVotes:
    """Time's command: the vote window is over."""

    at: datetime


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Time's command: the day has come that the report set for asking again."""

    at: datetime


@dataclass(frozen=True, slots=True)
class ResolveOutcome:
    held: bool
    by: str
    at: datetime
    because: str = ""


@dataclass(frozen=True, slots=True)
class RateVerdict:
    """A person's word on whether the verdict was of use to them; a later one replaces it."""

    useful: bool
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AskHeld:
    """Time's command, after a merge: did the verdict hold? ``because`` is what code knows."""

    question: str
    because: str
    at: datetime


@dataclass(frozen=True, slots=True)
class NoteForge:
    """Code's command: something happened on the forge (``core.events.ForgeNoted``)."""

    what: str
    text: str
    at: datetime
    by: str = ""
    url: str = ""


Command = (
    RaiseChallenge
    | AskSeat
    | CastVote
    | WithdrawVote
    | Pause
    | Resume
    | Stop
    | AddPlace
    | ShowWhole
    | CloseVotes
    | FollowUp
    | ResolveOutcome
    | RateVerdict
    | AskHeld
    | NoteForge
)
