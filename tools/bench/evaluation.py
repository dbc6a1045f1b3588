"""``python -m tools.bench.evaluation``: measures reviewers whose skill is known, through the whole
program, and checks whether the measurement returns that skill within its intervals.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from math import comb, exp
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from adapters.templates.catalogue import find
from bot import settings
from bot.evaluation.plan import PlannedDebate, plan
from bot.evaluation.play import Evaluator
from bot.wire.parts import Parts, open_parts
from core.evaluation import Arm, Case
from core.evaluation.arms import template_of
from core.evaluation.figures import Figure
from core.evaluation.result import EvaluationResult, result
from tests.standins.reviewer import Reviewers, Skill, changes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MODELS = ("reviewer-a", "reviewer-b", "reviewer-c")
CRITICS = len(template_of(find("code_review"), Arm.VOTE).roles)
LEAST = 0.85
"""Share of figures within their intervals: fewer than 18 of 21 happens to right ones in 2 %."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A figure as the reviewers' skill demands it."""

    measure: str
    arm: Arm
    value: float

    def within(self, figure: Figure) -> bool:
        return (
            figure.low is not None
            and figure.high is not None
            and (figure.low <= self.value <= figure.high)
        )


def expected(skill: Skill) -> Iterator[Expected]:
    """Computes figures from skill, if there is a closed form.

    One reviewer finds each defect with the probability ``finds``; independent reviewers together
    miss a defect only if each of them misses it. One reviewer blocks a clean change if it invents
    anything; a vote if more than half do. If all judge rightly, a debate upholds exactly the real
    findings.
    """
    any_of = 1 - (1 - skill.finds) ** CRITICS
    alone = 1 - exp(-skill.invents)
    most = sum(
        comb(CRITICS, n) * alone**n * (1 - alone) ** (CRITICS - n)
        for n in range(CRITICS // 2 + 1, CRITICS + 1)
    )
    for one in (Arm.REVIEWER, Arm.SINGLE):
        yield Expected("found", one, skill.finds)
        yield Expected("false_blocks", one, alone)
    yield Expected("noise", Arm.REVIEWER, skill.invents)
    yield Expected("found", Arm.UNION, any_of)
    yield Expected("false_blocks", Arm.UNION, 1 - (1 - alone) ** CRITICS)
    yield Expected("found", Arm.VOTE, any_of)
    yield Expected("false_blocks", Arm.VOTE, most)
    if skill.judges == 1:
        yield Expected("found", Arm.DEBATE, any_of)
        yield Expected("false_blocks", Arm.DEBATE, 0.0)


@asynccontextmanager
async def reviewing(folder: Path, skill: Skill, usd: float = 0.0) -> AsyncIterator[Parts]:
    """Returns the program with reviewers of this skill, its database in ``folder``."""
    env = {"DEBATE_DATABASE_URL": f"sqlite:///{folder}/eval.db", "DEBATE_MODELS": ",".join(MODELS)}
    make = partial(Reviewers, skill=skill, usd=usd)
    async with open_parts(settings.read(env, folder), make_models=make) as parts:
        yield parts


def runs_of(
    cases: Sequence[Case], repeats: int, arms: Sequence[Arm] = tuple(Arm)
) -> list[PlannedDebate]:
    return list(plan(cases, arms, repeats, find("code_review"), MODELS))


async def measured(
    folder: Path, skill: Skill, cases: Sequence[Case], repeats: int
) -> EvaluationResult:
    async with reviewing(folder, skill) as parts:
        played = await Evaluator(parts, MODELS, "shell:ann", at_once=1).play(
            runs_of(cases, repeats)
        )
    return result(cases, played.readings, tuple(Arm), repeats, MODELS)


def main() -> int:
    within = figures = 0
    for skill in (Skill(0.3, 0.8), Skill(0.6, 0.3), Skill(0.9, 0.1)):
        cases = changes(40, Random(7))
        with tempfile.TemporaryDirectory() as folder:
            report = asyncio.run(measured(Path(folder), skill, cases, 2))
        print(f"finds {skill.finds}, invents {skill.invents}: {len(cases)} changes, 2 runs each")
        for want in expected(skill):
            got = report.figures[want.measure][want.arm]
            ok = want.within(got)
            within, figures = within + ok, figures + 1
            print(
                f"  {'within ' if ok else 'OUTSIDE'} {want.measure:<13} {want.arm:<7} expected "
                f"{want.value:.3f}, measured {got.value:.3f} ({got.low:.3f} to {got.high:.3f})"
            )
    print(f"{within} of {figures} within; of 95 % intervals one in twenty misses by chance")
    return int(within < LEAST * figures)


if __name__ == "__main__":
    sys.exit(main())
