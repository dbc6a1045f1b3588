"""The typed reply of a turn: prose is for people, and everything that code decides on is a field.

A model may write nonsense into any field, so types check on construction: confidence is in [0,
1], severities and answers are closed sets, texts are bounded. Code, never a model, gives findings
and claims their ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.debate.finding import Finding, Severity, share
from core.debate.ports import Source
from core.debate.proof import ProofTest


class Position(StrEnum):
    """A seat's position on another's finding, claim, attack or challenge."""

    AGREE = "agree"
    DISPUTE = "dispute"
    KEEP = "keep"  # mine, and I stand by it
    WITHDRAW = "withdraw"  # mine, and I take it back
    CONCEDE = "concede"  # yours, and you are right
    ANSWERED = "answered"  # a challenge or question, answered
    MUST_FIX = "must_fix"  # of a contested finding: real, and it blocks
    NEED_NOT = "need_not_block"  # of a contested finding: real, and it need not block
    NOT_REAL = "not_real"  # of a contested finding


class ArgumentType(StrEnum):
    PROPOSAL = "proposal"
    CHALLENGE = "challenge"
    DEFENSE = "defense"
    COUNTER = "counter"
    RESOLUTION = "resolution"


class Grade(StrEnum):
    """The result of a gauntlet attack."""

    DEFENDED = "defended"
    PARTLY = "partly"
    BROKEN = "broken"
    VOID = "void"  # nothing was really attacked


@dataclass(frozen=True, slots=True)
class Stance:
    """The option that a seat holds now; ``moved_by`` names the claim, finding or statement that
    changed it, and is empty if none did.
    """

    option: str
    confidence: float
    because: str = ""
    moved_by: str = ""
    would_resolve_if: str = ""

    def __post_init__(self) -> None:
        share(self.confidence)


@dataclass(frozen=True, slots=True)
class Claim:
    """A point that can be supported or attacked.

    ``id`` is ``<turn>.c<n>``. ``quote`` is checked against the material by code.
    """

    id: str
    text: str
    quote: str = ""
    supports: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One seat's position on a finding, claim, argument, attack or challenge, named by its id.

    ``input`` is the input that triggers the finding. ``quote`` is the evidence, and ``path`` and
    ``line`` are the place that the seat gives for it; ``checked`` is set if code found it there.
    ``severity`` is the severity that a holder now gives its finding, None if it keeps the old one.
    """

    to: str
    position: Position
    because: str = ""
    quote: str = ""
    input: str = ""
    path: str = ""
    line: int | None = None
    checked: bool = False
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """The triggering input and the fix of a finding that must be fixed, asked for after the verdict
    if both were missing; ``to`` is the finding's id.
    """

    to: str
    trigger: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """A typed argument of the adversarial format."""

    type: ArgumentType
    references: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    impact_areas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Metrics:
    """A judge's measurements of an adversarial round, each in [0, 1]; the judge also names the
    risks.
    """

    agreement: float
    resolution_quality: float
    evidence_strength: float
    feasibility: float
    risks: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for value in (
            self.agreement,
            self.resolution_quality,
            self.evidence_strength,
            self.feasibility,
            *self.risks.values(),
        ):
            share(value)


@dataclass(frozen=True, slots=True)
class Statement:
    """The content of a finished turn; ``core.debate.replies.tasks`` lists the fields of each task.

    ``scores`` are criterion -> [0, 1]; ``sections`` are placeholder -> Markdown; ``ruling`` is a
    judge's option; ``grades`` are attack turn -> grade; ``estimate`` is a complexity estimate in
    [0, 1]; ``called`` are the seats that a moderator calls on, by alias; ``repairs`` are the fixes
    of findings; ``untold`` is a defect that the seat mentions without a finding; ``test`` is to
    prove a finding;
    ``failed_searches`` are as in ``core.debate.ports.Reply``.
    """

    text: str
    stance: Stance | None = None
    claims: tuple[Claim, ...] = ()
    findings: tuple[Finding, ...] = ()
    answers: tuple[Answer, ...] = ()
    argument: Argument | None = None
    metrics: Metrics | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)
    actions: tuple[str, ...] = ()
    ruling: str = ""
    grades: Mapping[str, Grade] = field(default_factory=dict)
    estimate: float | None = None
    called: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    untold: str = ""
    test: ProofTest | None = None
    sources: tuple[Source, ...] = ()
    unverified: tuple[str, ...] = ()
    failed_searches: tuple[str, ...] = ()

    @property
    def point_ids(self) -> tuple[str, ...]:
        """The ids of its claims and findings, which other statements can refer to."""
        return (*(c.id for c in self.claims), *(f.id for f in self.findings))

    @property
    def looked_up(self) -> bool:
        """Whether its seat looked something up in the repository."""
        return any(source.repository for source in self.sources)
