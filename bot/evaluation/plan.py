"""Plans the runs of a measurement, each with a name that follows from its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import msgspec

from core.debate.template import Template
from core.evaluation import OF_OPENINGS, Arm, Case
from core.evaluation.arms import reordered, template_of


@dataclass(frozen=True, slots=True)
class PlannedDebate:
    """One debate to play. ``arm`` is the arm that is played; ``arms`` are those whose results are
    read off it. ``wider`` is the name of a run whose openings serve as well, empty for none.
    """

    case: Case
    arm: Arm
    arms: tuple[Arm, ...]
    repeat: int
    template: Template
    seed: int
    name: str
    wider: str = ""


def plan(
    cases: Sequence[Case],
    arms: Sequence[Arm],
    repeats: int,
    template: Template,
    models: Sequence[str],
) -> tuple[PlannedDebate, ...]:
    """Returns every run, the first repeat of all cases first, so that an interrupted measurement
    has covered as many cases as it could. From the second repeat on seats sit in a random order.
    """
    return tuple(
        _run(case, arm, arms, repeat, template, models)
        for repeat in range(1, repeats + 1)
        for case in cases
        for arm in _played(arms)
    )


def _played(arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """Returns the arms that need a separate run. Arms that read only openings use the debate's;
    without a debate, openings are played once for all of them.
    """
    reviewer = tuple(a for a in arms if a is Arm.REVIEWER)
    if Arm.DEBATE in arms:
        return (*reviewer, Arm.DEBATE)
    if set(arms) & set(OF_OPENINGS):
        return (*reviewer, Arm.VOTE)
    return reviewer


def _run(
    case: Case,
    arm: Arm,
    arms: Sequence[Arm],
    repeat: int,
    template: Template,
    models: Sequence[str],
) -> PlannedDebate:
    name = _name(case, arm, repeat, template, models)
    seed = int(name[:12], 16)
    seated = template
    if repeat != 1:
        seated = reordered(template, Random(seed))
    read: tuple[Arm, ...] = (arm,)
    wider = ""
    if arm is not Arm.REVIEWER:
        read = tuple(a for a in Arm if a in arms and a is not Arm.REVIEWER)
    if arm is Arm.VOTE:
        wider = _name(case, Arm.DEBATE, repeat, template, models)
    return PlannedDebate(case, arm, read, repeat, template_of(seated, arm), seed, name, wider)


def _name(case: Case, arm: Arm, repeat: int, template: Template, models: Sequence[str]) -> str:
    """Returns a name that is the same for the same run, and another one when the case, the
    template, the models or the arm has changed.
    """
    identity = [case.title, case.body, case.diff.hex(), arm, repeat, list(models)]
    if case.range is not None:  # the same diff reads otherwise with the repository around it
        identity += [case.range.repo, case.range.base, case.range.commit]
    made = json.dumps([*identity, msgspec.to_builtins(template)], sort_keys=True)
    return hashlib.sha256(made.encode("utf-8", "surrogatepass")).hexdigest()[:24]
