"""A kind of debate as data: roles, phases, rubric, ballot, thresholds, sections of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Mode(StrEnum):
    """The way in which the seats' stances become a result (``core.debate.verdict.consensus``)."""

    MAJORITY = "majority"
    SUPERMAJORITY = "supermajority"
    UNANIMOUS = "unanimous"
    WEIGHTED = "weighted"
    JUDGE = "judge"
    HYBRID = "hybrid"

    @property
    def is_judged(self) -> bool:
        """True if judges rule."""
        return self in (Mode.JUDGE, Mode.HYBRID)


class Evidence(StrEnum):
    ALLOW_ANY = "allow-any"
    ALLOW_CITED = "allow-cited"
    DISALLOW_EXTERNAL = "disallow-external"


class People(StrEnum):
    """The effect of people's votes on the result; their tally is always shown."""

    SHOWN = "shown"
    TIES = "ties"  # they decide ties (and the state of findings)


class Turns(StrEnum):
    """The order of speaking inside a round of a phase."""

    ALL = "all"
    ROUND_ROBIN = "round_robin"
    RING = "ring"


class ThreadForm(StrEnum):
    """The size of one message in a debate's thread: a statement or a whole round."""

    STATEMENTS = "statements"
    ROUNDS = "rounds"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of the ballot. ``strict`` orders options from mildest (0) up if that means
    something; ``blocks`` makes ``--check`` fail.
    """

    option: str
    emoji: str = ""
    strict: int = 0
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    description: str = ""
    objectives: tuple[str, ...] = ()
    evaluation_criteria: tuple[str, ...] = ()
    example_prompts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a template. ``after`` None means: after the phase before it. ``turns`` None means
    the template's topology default.
    """

    name: str
    description: str = ""
    duration_rounds: int = 1
    roles_active: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    turns: Turns | None = None
    after: tuple[str, ...] | None = None
    rotate: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    id: str
    name: str
    description: str
    domain: str
    format: str
    roles: tuple[Role, ...]
    phases: tuple[Phase, ...]
    ballot: tuple[Option, ...]
    rubric: Mapping[str, float]  # criterion -> weight; the weights sum to 1
    output_format: str
    max_rounds: int
    consensus_threshold: float
    recommended_agents: int
    difficulty: float = 0.5
    tags: tuple[str, ...] = ()
    consensus: Mode = Mode.MAJORITY
    evidence_policy: Evidence = Evidence.ALLOW_CITED
    people: People = People.TIES
    quorum: float = 0.5
    # the kind of target it expects: pull_request, document, incident, question; empty takes any
    material: str = ""
    poll: bool = False  # people vote in the platform's native poll if it has one
    findings: bool = False  # the verdict rule of code review: open anchored findings decide
    timeout: float | None = None  # seconds that one answer may take
    temperature: float | None = None  # that models are asked with; None is their own
    # share of a round that must be new for another one to follow; None is the format's
    convergence_threshold: float | None = None
    follow_up_days: int | None = None  # after the verdict people are asked whether it held
    settings: Mapping[str, Any] = field(default_factory=dict)  # the format's own options

    @property
    def blocking(self) -> frozenset[str]:
        """The options that block."""
        return frozenset(o.option for o in self.ballot if o.blocks)
