"""What a kind of debate is made of, as data: roles, phases, rubric, ballot, thresholds, sections of the report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_DECISIONS = frozenset({"decision", "verdict"})
_NUMBERS = frozenset({"confidence", "consensus", "risk_score"})
_STATED = frozenset({"dissent", "votes", "reveal"})
_COUNTED = frozenset({"low", "medium", "high", "critical", "findings", "action_items"})


class Mode(StrEnum):
    """How seats' stances become a result (``core.consensus``)."""

    MAJORITY = "majority"
    SUPERMAJORITY = "supermajority"
    UNANIMOUS = "unanimous"
    WEIGHTED = "weighted"
    JUDGE = "judge"
    HYBRID = "hybrid"


class Evidence(StrEnum):
    ALLOW_ANY = "allow-any"
    ALLOW_CITED = "allow-cited"
    DISALLOW_EXTERNAL = "disallow-external"


class People(StrEnum):
    """How people's votes enter the result; their tally is always shown."""

    SHOWN = "shown"
    TIES = "ties"  # they decide ties (and the state of findings)


class Turns(StrEnum):
    """Who speaks when inside a round of a phase."""

    ALL = "all"
    ROUND_ROBIN = "round_robin"
    RING = "ring"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of the ballot. ``strict`` orders options from mildest (0) up where that means something; ``blocks`` fails ``--check``."""

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
    """``after`` None means: after the phase before it. ``turns`` None means the template's topology default."""

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
    rubric: Mapping[str, float]
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
    material: str = ""  # the kind of target it expects: pull_request, document, incident, question; empty takes any
    findings: bool = False  # the verdict rule of code review: open anchored findings decide
    settings: Mapping[str, Any] = field(default_factory=dict)  # the format's own options


class Fill(StrEnum):
    """Who fills a placeholder of the report. Numbers and decisions are never free text of a model."""

    ENGINE = "engine"  # computed: the decision, counts, agreement, dissent
    JUDGE = "judge"  # a rubric score of the judging reply, shown out of 10
    CLOSING = "closing"  # a section that the closing reply writes


def placeholders(output_format: str) -> tuple[str, ...]:
    """The distinct placeholders of a report's Markdown, in order of appearance."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(output_format)))


def fill(output_format: str, values: Mapping[str, str]) -> str:
    """The report with each placeholder replaced. Raises ``KeyError`` for one without a value; braces inside values stay as they are."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], output_format)


def scored(name: str, criteria: Iterable[str]) -> str:
    """The rubric criterion behind a placeholder like ``security_score``: the one that begins like its stem, or "" if none does."""
    stem = name.removesuffix("_score")
    if stem == name:
        return ""
    best = max(criteria, key=lambda c: _common(stem, c), default="")
    return best if best and _common(stem, best) >= max(4, len(stem) - 2) else ""


def filled_by(template: Template, name: str) -> Fill | None:
    """Where the value of a placeholder comes from; None when nothing may fill it (a score or a count that nobody computes).

    ``settings.decision_in`` may name one more placeholder that shows the computed decision.
    """
    if name in _DECISIONS | _NUMBERS | _STATED or name == template.settings.get("decision_in"):
        return Fill.ENGINE
    if name.endswith("_count"):
        return Fill.ENGINE if name.removesuffix("_count") in _COUNTED else None
    if name.endswith("_score"):
        return Fill.JUDGE if scored(name, template.rubric) else None
    return Fill.CLOSING


def sections(template: Template) -> tuple[str, ...]:
    """The placeholders that the closing reply has to write."""
    return tuple(p for p in placeholders(template.output_format) if filled_by(template, p) is Fill.CLOSING)


def _common(a: str, b: str) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
