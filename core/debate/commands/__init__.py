"""The commands to a debate: ``decisions.decide`` turns each into events or refuses it with a
reason. What happened outside the debate, or became known of its verdict, is reported as the event
itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.debate import events as e


@dataclass(frozen=True, slots=True)
class RaiseChallenge:
    """A person challenges a debate; ``to`` names seats or aliases, and if it is empty the core
    chooses the seats concerned.
    """

    author: str
    text: str
    to: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class AskSeat:
    """A person asks the author of ``subject`` (a turn's or a finding's id) to answer the seats that
    disagree.

    ``own`` means that the person started the debate, or is the only person there, so that no second
    person is needed.
    """

    by: str
    subject: str
    own: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Prove:
    """A person wants a finding proven by a test; without ``finding`` code chooses one."""

    by: str
    finding: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Speak:
    """The holder of a seat makes the statement of one of its turns: words, or a reply as models
    write it.
    """

    by: str
    turn: str
    text: str


@dataclass(frozen=True, slots=True)
class CastVote:
    """A person votes; ``subject`` is "" for the verdict, a finding's id, or a turn's for its
    statement; ``option`` may be typed loosely ("1", "Approve").
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
    language: str = ""


@dataclass(frozen=True, slots=True)
class ShowWhole:
    """A person wants to read all of a quiet debate."""

    by: str


@dataclass(frozen=True, slots=True)
class Wake:
    """The clock's command: it is ``at``, until when the debate may have waited: for holders of
    seats, for votes, or for the day for asking again that the report set.
    """

    at: datetime


Command = (
    RaiseChallenge
    | AskSeat
    | Prove
    | Speak
    | CastVote
    | WithdrawVote
    | Pause
    | Resume
    | Stop
    | AddPlace
    | ShowWhole
    | Wake
    | e.OutcomeResolved
    | e.FindingJudged
    | e.VerdictRated
    | e.FollowUpDue
    | e.ForgeNoted
    | e.WaitNoted
)
