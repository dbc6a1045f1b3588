"""What has to be played for a measurement, each run under a name that its content decides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import msgspec

from core.evaluation import Arm, Case
from core.evaluation.arms import reordered, template_of
from core.template import Template


@dataclass(frozen=True, slots=True)
class Run:
    """One debate to play. ``arm`` is the arm that is played; ``arms`` are those read off it."""

    case: Case
    arm: Arm
    arms: tuple[Arm, ...]
    repeat: int
    template: Template
    seed: int
    name: str


def plan(
    cases: Sequence[Case],
    arms: Sequence[Arm],
    repeats: int,
    template: Template,
    models: Sequence[str],
) -> tuple[Run, ...]:
    """Every run, the first repeat of all cases first, so that a measurement that is cut off has
    seen as many cases as it could. From the second repeat on seats sit in a drawn order.
    """
    return tuple(
        _run(case, arm, arms, repeat, template, models)
        for repeat in range(1, repeats + 1)
        for case in cases
        for arm in _played(arms)
    )


def _played(arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """A vote needs no run of its own beside a debate: its openings are that vote."""
    return tuple(a for a in Arm if a in arms and not (a is Arm.VOTE and Arm.DEBATE in arms))


def _run(
    case: Case,
    arm: Arm,
    arms: Sequence[Arm],
    repeat: int,
    template: Template,
    models: Sequence[str],
) -> Run:
    name = _name(case, arm, repeat, template, models)
    seed = int(name[:12], 16)
    seated = template
    if repeat != 1:
        seated = reordered(template, Random(seed))
    read: tuple[Arm, ...] = (arm,)
    if arm is Arm.DEBATE and Arm.VOTE in arms:
        read = (Arm.VOTE, Arm.DEBATE)
    return Run(case, arm, read, repeat, template_of(seated, arm), seed, name)


def _name(case: Case, arm: Arm, repeat: int, template: Template, models: Sequence[str]) -> str:
    """The same for the same run, another one when anything that seats read or are has changed."""
    told = [case.title, case.body, case.diff.hex(), arm, repeat, list(models)]
    made = json.dumps([*told, msgspec.to_builtins(template)], sort_keys=True)
    return hashlib.sha256(made.encode("utf-8", "surrogatepass")).hexdigest()[:24]
