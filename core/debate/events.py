"""The events of a debate, which are the only truth: a debate is the fold of these, and every prefix
of them can be resumed, forked and audited.

Events are facts and are never refused. They carry everything that was decided when they happened
(the compiled script, the cast, the terms, the draw), so that an old debate replays the same after
the code has moved on. ``storage.codec`` gives each a version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.debate.earned import GateTerms, StatedConfidence, TrackRecord
from core.debate.material import Material
from core.debate.proof import Framing, ProofRuns
from core.debate.replies import Statement
from core.debate.script import Script, SeatId, Turn, TurnId
from core.debate.stored import stored
from core.debate.template import Template
from core.debate.usage import Usage

LABELS = ("department", "priority", "target-date")
"""The options of a request that label debates for people; no seat reads them."""


class EndReason(StrEnum):
    """The reason for which a debate ended."""

    COMPLETED = "completed"
    CONSENSUS = "consensus"
    CONVERGED = "converged"
    BUDGET = "budget"
    HUMAN = "human"
    NO_QUORUM = "no_quorum"
    ERROR = "error"


WHY_ENDED: Mapping[str, str] = {
    EndReason.COMPLETED: stored("the debate went to its end"),
    EndReason.CONSENSUS: stored("the seats agree"),
    EndReason.CONVERGED: stored("there is nothing more to learn"),
    EndReason.BUDGET: stored("its budget or its time was used up"),
    EndReason.HUMAN: stored("a person stopped it"),
    EndReason.NO_QUORUM: stored("too few seats answered"),
    EndReason.ERROR: stored("it could not be completed"),
}


@dataclass(frozen=True, slots=True)
class DebateRequest:
    """A person's request, before anything was read or priced.

    ``place`` and ``asker`` are opaque: "slack:T1/C1", "shell:me". ``files`` means that the request
    came from a shell, so that the target may name a file of this machine; a later resume or fork
    does not change that. ``quoted`` is the price in USD that the person was shown before, None for
    none.
    """

    template: str
    target: str
    asker: str
    place: str
    rounds: int | None = None
    models: tuple[str, ...] = ()
    consensus: str = ""
    threshold: float | None = None
    budget: float | None = None
    format: str = ""
    vote_window: float | None = None  # seconds
    quiet: bool = False
    search: bool = False
    fresh: bool = False  # without what earlier debates decided
    evidence: str = ""  # a scanner's results: the name of a file, at a shell
    text: str = ""  # an attachment's or a thread's own text, where the target is not a link
    schedule: str = ""
    owner: str = ""  # who bound the channel that follows the change, if a forge asked
    told: bool = False  # the schedule failed before, and its owner knows
    after: str = ""  # the debate before, about an earlier head of the same change
    story: str = ""  # the first of them, in whose thread this one goes on
    again: str = ""  # the debate whose question this one asks once more
    seats: tuple[str, ...] = ()  # who holds seats, as typed: "person:U1", "ROLE=token:NAME"
    extras: Mapping[str, str] = field(default_factory=dict)
    files: bool = False
    quoted: float | None = None

    @property
    def labels(self) -> Mapping[str, str]:
        """The given labels by name."""
        return {name: self.extras[name] for name in LABELS if self.extras.get(name)}


@dataclass(frozen=True, slots=True)
class Sizing:
    """The reason for a panel's size. Prices are USD at most, None if unknown; ``overruled`` means
    that a person chose. ``estimate`` is a model's own estimate of the complexity in [0, 1], None if
    there is none, and then ``why_not`` says why.
    """

    form: str
    score: float
    factors: tuple[str, ...]
    why: str
    standard: float | None
    extended: float | None
    overruled: bool = False
    estimate: float | None = None
    estimated_by: str = ""
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Holder:
    """A person or a program in a seat: ``id`` is the person ("slack:T1/U1") or "token:" with a
    token's id, ``name`` is what people call a program; "" for a person.
    """

    id: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """The rules of this one debate: the template's, as overridden by the request."""

    consensus: str
    threshold: float
    quorum: int  # seats that must have a readable statement
    budget: float | None = None  # USD
    reserve: float = 0.0  # USD kept for the closing turns
    vote_window: float = 0.0  # seconds
    quiet: bool = False
    search: bool = False
    demo: bool = False  # a model in the cast whose judgement nobody should rely on
    estimate: float | None = None  # USD, None is unknown
    converge: bool = True
    assume: str = ""  # a fork's changed condition, told to every seat
    without: tuple[SeatId, ...] = ()  # seats that this fork, or one before it, leaves out
    anyway: bool = False  # debate even if nothing is left to settle
    # a fork's last round (index) that was whole before it began: it stops nothing
    inherited: int = -1
    sizing: Sizing | None = None  # a panel's
    timeout: float | None = None  # seconds that one answer may take; None is the engine's
    temperature: float | None = None  # None is each model's own
    convergence: float | None = None  # share of a round that must be new; None is the format's
    # what was spent before the opening, on the estimate of complexity
    assessed: Usage | None = None
    lookups: bool = False  # seats may look things up in the repository
    weights: Mapping[SeatId, float] = field(default_factory=dict)  # by resolved outcomes
    # models: the casting was drawn by these records, and those of their own rulings
    known: Mapping[str, TrackRecord] = field(default_factory=dict)
    ruled: Mapping[str, TrackRecord] = field(default_factory=dict)
    # by role ("" is all), then model: what made less of it, in the casting and in the weights
    stated: Mapping[str, Mapping[str, StatedConfidence]] = field(default_factory=dict)
    busy: Mapping[str, int] = field(default_factory=dict)  # models: calls in the hour before
    # models whose family their name does not tell, as the operator's file of models names it
    families: Mapping[str, str] = field(default_factory=dict)
    thread: str = "statements"  # the word of a ``ThreadForm``
    gate: GateTerms | None = None  # None blocks as decided: an older debate, or no review
    prove: bool = False  # contested findings that would block are proven by a test, if one can be
    provable: bool = False  # the operator says where tests may be run
    # seats in which no model speaks, and how many seconds each of their turns is waited for
    held: Mapping[SeatId, Holder] = field(default_factory=dict)
    patience: float = 600.0
    language: str = ""  # the code of the language in which seats write; "" is the question's own


@dataclass(frozen=True, slots=True)
class Fork:
    """The origin of a fork: the parent's first ``at`` events, under changed conditions."""

    parent: str
    at: int
    without: SeatId = SeatId("")
    assume: str = ""
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DebateRequested:
    """Somebody asked for a debate; nothing is read yet."""

    id: str
    request: DebateRequest
    at: datetime
    fork: Fork | None = None


@dataclass(frozen=True, slots=True)
class DebateOpened:
    """The debate has opened; ``cast`` gives each seat its models: the first speaks, the rest are
    fallbacks in order.
    """

    template: Template
    script: Script
    cast: Mapping[SeatId, tuple[str, ...]]
    material: Material
    terms: Terms
    at: datetime
    seed: int = 0


@dataclass(frozen=True, slots=True)
class OpeningFailed:
    """The debate never opened: the material could not be read, or a model is unknown. ``reason`` is
    for the person who asked.
    """

    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A seat was asked; ``until`` is how long a person or a program that holds it is waited for."""

    turn: TurnId
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """A seat gave a statement that could be read."""

    turn: TurnId
    statement: Statement
    usage: Usage
    model: str


STOPPED = "stopped"
"""The reason of a turn that failed because the debate was stopped; the others are sentences."""


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """A turn failed; ``usage`` is what the failed attempts cost all the same."""

    turn: TurnId
    reason: str
    usage: Usage = Usage()
    model: str = ""


@dataclass(frozen=True, slots=True)
class TurnSkipped:
    """A turn does not take place."""

    turn: TurnId
    reason: str

    @property
    def why(self) -> str:
        """The reason in words, also if it is only the kind of a stop."""
        return WHY_ENDED.get(self.reason, self.reason)


@dataclass(frozen=True, slots=True)
class TurnsAdded:
    """Turns were added that were not in the script; they come before the turns ``read_by``, which
    have not started and will read them.
    """

    turns: tuple[Turn, ...]
    read_by: tuple[TurnId, ...]
    because: str


@dataclass(frozen=True, slots=True)
class ChallengeRaised:
    """A person objected. ``to`` are the seats that owe an answer. ``source`` is the platform's own
    id of the message. ``findings`` are the findings that an objection after the verdict is about.
    """

    id: str
    author: str
    text: str
    to: tuple[SeatId, ...]
    source: str = ""
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DebateReopened:
    """A person's objection reopened a debate that had its verdict; ``challenge`` is its id."""

    challenge: str
    by: str


@dataclass(frozen=True, slots=True)
class SeatAsked:
    """A person wants ``seat`` to answer for ``subject`` (a turn's or a finding's id) to the seats
    that disagree. All requests for the same share an ``id``.
    """

    id: str
    by: str
    subject: str
    seat: SeatId
    own: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class ProofAsked:
    """A person wants a finding proven by a test."""

    by: str
    finding: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class ProofsFramed:
    """It is known what a test of this project must look like, or why none can be run."""

    framing: Framing
    at: datetime


@dataclass(frozen=True, slots=True)
class ProofRun:
    """The test of ``turn`` was run, or could not be."""

    turn: TurnId
    result: ProofRuns
    at: datetime


@dataclass(frozen=True, slots=True)
class VoteCast:
    """A person voted; a later vote on the same subject replaces it. ``subject`` is "" (the
    verdict), a finding's id or a turn's.
    """

    voter: str
    option: str
    subject: str = ""
    role: str = ""  # "author" if the voter wrote the pull request: shown apart, never counted


@dataclass(frozen=True, slots=True)
class VoteWithdrawn:
    """One person took a choice back."""

    voter: str
    option: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class DebatePaused:
    """No calls are made until it is resumed."""

    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DebateResumed:
    """The debate continues after a pause."""

    by: str


@dataclass(frozen=True, slots=True)
class StopOrdered:
    """The debate is to stop; ``closing`` is True if the closing turns still take place."""

    reason: EndReason
    by: str = ""
    detail: str = ""
    closing: bool = True


@dataclass(frozen=True, slots=True)
class PlaceAdded:
    """The same debate is shown in one more thread, in the place's ``language`` ("" is the
    debate's).
    """

    place: str
    by: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class WholeShown:
    """A quiet debate is shown in full from here on, with all its statements."""

    by: str


@dataclass(frozen=True, slots=True)
class DebateConcluded:
    """The last turn is settled. ``decision`` is the computed one, stored here to be shown;
    ``core.debate.verdict`` can recompute it.
    """

    because: EndReason
    decision: str
    reached: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class VotesClosed:
    """The vote window is over; ``decision`` is the verdict recomputed without a model call,
    ``changed`` is True if it differs.
    """

    decision: str
    reached: bool
    changed: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class RoundMeasured:
    """A round was compared with earlier ones, as the second signal of convergence: which of its
    claims only repeat earlier ones, by which similarity tier. ``similarity`` is the mean over pairs
    of different seats, in [0, 1].
    """

    round: int
    tier: str
    similarity: float
    repeats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutcomeResolved:
    """A person said later whether the verdict held, and perhaps why: calibration knows no other
    "correct".
    """

    held: bool
    by: str
    at: datetime
    because: str = ""


class Became(StrEnum):
    """What became of a finding; a newer release may know more."""

    FIXED = "fixed"  # its lines changed, or the seats no longer find it
    REVERTED = "reverted"  # the change was merged over it, and taken back
    REAL = "real"  # people say so
    NOT_REAL = "not_real"  # people say so
    WITHDRAWN = "withdrawn"  # the seats took it back in a later review
    MERGED = "merged"  # the change was merged over it


@dataclass(frozen=True, slots=True)
class FindingJudged:
    """Code or a person (``by``) learned what became of a finding. ``mark`` names it in all runs on
    one change, ``became`` is the word of a ``Became``, "" for a judgement that a person took back.
    """

    mark: str
    became: str
    at: datetime
    by: str = ""


@dataclass(frozen=True, slots=True)
class VerdictRated:
    """One person found the verdict useful or not; a later rating of the same person replaces it."""

    useful: bool
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class FollowUpDue:
    """The day for asking again has come. ``because`` is what code knows about the outcome if this
    is not the day that the report set.
    """

    question: str
    at: datetime
    because: str = ""


class ForgeNote(StrEnum):
    """The things that happen to a change on its forge, or are written to it; a newer release may
    know more of them.
    """

    POSTED = "posted"
    NOT_POSTED = "not_posted"
    MOVED = "moved"
    ISSUE = "issue"
    NO_ISSUE = "no_issue"
    TEST = "test"
    NO_TEST = "no_test"
    RECORD = "record"
    NO_RECORD = "no_record"
    MERGED = "merged"
    CLOSED = "closed"
    REOPENED = "reopened"
    REVERTED = "reverted"
    OBJECTION = "objection"
    REJECTED = "rejected"
    LIMIT = "limit"
    NOTHING_NEW = "nothing_new"


@dataclass(frozen=True, slots=True)
class WaitNoted:
    """A provider makes seats wait; ``text`` says why and for how long."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ForgeNoted:
    """Something happened to the change on its forge, or was written to it from here.

    ``what`` is the word of a ``ForgeNote``. ``by`` is the person who did it or approved it, ``url``
    its address.
    """

    what: str
    text: str
    at: datetime
    by: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class EventRemoved:
    """An event was deleted here; the store retains its hash, so that the chain of hashes over all
    events stays verifiable.
    """


@dataclass(frozen=True, slots=True)
class TextsDeleted:
    """All texts of the finished debate were deleted. ``outcome`` is the rest of the outcome
    document, without any text; ``artifact`` the digest of the whole one, which receipts name;
    ``status`` how the debate had ended.
    """

    because: str
    status: str
    outcome: Mapping[str, Any]
    artifact: str
    at: datetime
    private: bool = False


@dataclass(frozen=True, slots=True)
class UnknownEvent:
    """An event of a newer release, in its stored form, which this release cannot interpret. It
    changes nothing but the count of events.
    """

    kind: str
    version: int
    payload: Mapping[str, Any]


Event = (
    DebateRequested
    | DebateOpened
    | OpeningFailed
    | TurnStarted
    | TurnFinished
    | TurnFailed
    | TurnSkipped
    | TurnsAdded
    | ChallengeRaised
    | DebateReopened
    | SeatAsked
    | ProofAsked
    | ProofsFramed
    | ProofRun
    | VoteCast
    | VoteWithdrawn
    | DebatePaused
    | DebateResumed
    | StopOrdered
    | PlaceAdded
    | WholeShown
    | DebateConcluded
    | VotesClosed
    | OutcomeResolved
    | FindingJudged
    | VerdictRated
    | RoundMeasured
    | FollowUpDue
    | ForgeNoted
    | WaitNoted
    | EventRemoved
    | TextsDeleted
    | UnknownEvent
)
