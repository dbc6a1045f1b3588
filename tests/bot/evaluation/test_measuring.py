"""Measurements through the whole program: known skill comes back, nothing is paid twice, a budget
holds, and what fails is said.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from statistics import NormalDist
from typing import Any

import pytest

from bot.evaluation.play import Evaluator, Played
from bot.wire.parts import Parts
from core.evaluation import OF_OPENINGS, Arm
from core.evaluation.figures import MEASURES
from tests.standins.reviewer import Reviewer, Reviewers, Skill, changes
from tools.bench.evaluation import CRITICS, MODELS, expected, measured, reviewing, runs_of

SKILL = Skill(0.6, 0.3)


def evaluator(parts: Parts, budget: float | None = None, at_once: int = 3) -> Evaluator:
    return Evaluator(parts, MODELS, "shell:ann", budget=budget, at_once=at_once)


def count_calls(parts: Parts) -> int:
    """Counts the calls of reviewers."""
    assert isinstance(parts.models, Reviewers)
    return sum(sum(made.calls.values()) for made in parts.models.made.values())


def decisions(played: Played) -> list[tuple[object, ...]]:
    return sorted((r.case, r.arm, r.repeat, r.blocked, sorted(r.found)) for r in played.readings)


@pytest.mark.faults
async def test_known_skill_comes_back_within_intervals_that_hold_together(tmp_path: Path) -> None:
    """One in twenty values lies outside of its own interval of 95 %, and every change of a prompt
    draws all of them anew: together they hold with 95 % if each interval is that much wider
    (Bonferroni, over the normal distribution).
    """
    skill = Skill(0.6, 0.25)
    report = await measured(tmp_path, skill, changes(100, Random(7)), 1)
    values, normal = list(expected(skill)), NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / len(values)) / normal.inv_cdf(1 - 0.025)
    for each in values:
        figure = report.figures[each.measure][each.arm]
        assert figure.low is not None
        assert figure.high is not None
        beside = (figure.high - figure.low) / 2 * (wider - 1)
        assert figure.low - beside <= each.value <= figure.high + beside, each
    assert report.missing == {}


async def test_what_was_played_is_not_paid_again(tmp_path: Path) -> None:
    cases = changes(1, Random(3))
    async with reviewing(tmp_path, SKILL, usd=0.01) as parts:
        first = await evaluator(parts).play(runs_of(cases, 1))
        paid = count_calls(parts)
    assert paid > 0
    assert first.spent == pytest.approx(0.01 * paid)
    async with reviewing(tmp_path, SKILL, usd=0.01) as parts:
        again = await evaluator(parts).play(runs_of(cases, 1))
        assert count_calls(parts) == 0
    assert (again.spent, again.before) == (0.0, len(runs_of(cases, 1)))
    assert decisions(again) == decisions(first)


async def test_more_repeats_and_arms_go_on_from_what_is_there(tmp_path: Path) -> None:
    cases = changes(2, Random(3))
    async with reviewing(tmp_path, SKILL) as parts:
        await evaluator(parts).play(runs_of(cases, 1, (Arm.DEBATE,)))
        wider = runs_of(cases, 2, tuple(Arm))
        missing = await evaluator(parts).missing(wider)
    assert [(r.case.id, r.arm, r.repeat) for r in missing] == [
        ("change0", Arm.REVIEWER, 1),
        ("change1", Arm.REVIEWER, 1),
        ("change0", Arm.REVIEWER, 2),
        ("change0", Arm.DEBATE, 2),
        ("change1", Arm.REVIEWER, 2),
        ("change1", Arm.DEBATE, 2),
    ]


async def test_what_is_read_off_openings_costs_nothing_beside_a_debate(tmp_path: Path) -> None:
    cases = changes(1, Random(3))
    async with reviewing(tmp_path, SKILL) as parts:
        debated = await evaluator(parts).play(runs_of(cases, 1, (Arm.DEBATE,)))
        paid = count_calls(parts)
        for arms in (OF_OPENINGS, (Arm.UNION,), (*OF_OPENINGS, Arm.DEBATE)):
            runs = runs_of(cases, 1, arms)
            assert await evaluator(parts).missing(runs) == []
            played = await evaluator(parts).play(runs)
            assert {r.arm for r in played.readings} == set(arms)
            assert not any(r.failed for r in played.readings)
            assert {r.debate for r in played.readings} == {r.debate for r in debated.readings}
        assert count_calls(parts) == paid


async def test_openings_by_themselves_are_played_once_for_all_arms(tmp_path: Path) -> None:
    cases = changes(2, Random(3))
    async with reviewing(tmp_path, SKILL) as parts:
        played = await evaluator(parts).play(runs_of(cases, 1, OF_OPENINGS))
        assert count_calls(parts) == 2 * CRITICS
    single = [r for r in played.readings if r.arm is Arm.SINGLE]
    union = {r.case: r for r in played.readings if r.arm is Arm.UNION}
    assert [r.calls for r in single] == [1] * (2 * CRITICS)
    assert [r.calls for r in union.values()] == [CRITICS] * 2
    assert len({(r.case, r.seat) for r in single}) == 2 * CRITICS
    for case, one in union.items():
        alone = [r for r in single if r.case == case]
        assert one.found == frozenset().union(*(r.found for r in alone))
        assert one.blocked is any(r.blocked for r in alone)


async def test_a_vote_is_the_debate_s_openings_and_costs_no_call_of_its_own(tmp_path: Path) -> None:
    cases = changes(1, Random(5))
    for name in ("both", "alone", "vote"):
        (tmp_path / name).mkdir()
    async with reviewing(tmp_path / "both", SKILL) as parts:
        both = await evaluator(parts, at_once=1).play(runs_of(cases, 1, (Arm.VOTE, Arm.DEBATE)))
        with_vote = count_calls(parts)
    async with reviewing(tmp_path / "alone", SKILL) as parts:
        await evaluator(parts, at_once=1).play(runs_of(cases, 1, (Arm.DEBATE,)))
        assert count_calls(parts) == with_vote
    async with reviewing(tmp_path / "vote", SKILL) as parts:
        vote = await evaluator(parts, at_once=1).play(runs_of(cases, 1, (Arm.VOTE,)))
    assert [r.calls for r in vote.readings] == [CRITICS]
    votes, debates = (
        [r.calls for r in both.readings if r.arm is a] for a in (Arm.VOTE, Arm.DEBATE)
    )
    assert all(CRITICS <= one <= whole for one, whole in zip(votes, debates, strict=True))


async def test_a_reviewer_is_one_call(tmp_path: Path) -> None:
    async with reviewing(tmp_path, SKILL) as parts:
        played = await evaluator(parts).play(runs_of(changes(2, Random(5)), 1, (Arm.REVIEWER,)))
        assert count_calls(parts) == 2
    assert [r.calls for r in played.readings] == [1, 1]


async def test_a_budget_is_never_exceeded_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    runs = runs_of(changes(3, Random(3)), 1, (Arm.VOTE,))
    async with reviewing(tmp_path, SKILL, usd=0.01) as parts:
        most = (await evaluator(parts).price(runs[:1])).most
        assert most is not None
        short = await evaluator(parts, budget=1.2 * most).play(runs)
        assert 0 < short.spent <= 1.2 * most
        assert 0 < short.unpaid < len(runs)
        rest = await evaluator(parts, budget=100.0).play(runs)
    assert rest.unpaid == 0
    assert rest.before == len(runs) - short.unpaid
    assert not any(r.failed for r in rest.readings)


async def test_seats_change_places_from_the_second_repeat_on(tmp_path: Path) -> None:
    first, second, third = runs_of(changes(1, Random(1)), 3, (Arm.DEBATE,))
    names = [[role.name for role in run.template.roles] for run in (first, second, third)]
    assert sorted(names[0]) == sorted(names[1]) == sorted(names[2])
    assert names[0][0] == "author"
    assert len({tuple(n) for n in names}) > 1
    assert len({run.name for run in (first, second, third)}) == 3


class Broken(Reviewer):
    """A model that fails like a program with an unexpected defect."""

    async def reply(self, *_: object, **__: object) -> object:  # type: ignore[override]  # it never replies
        raise RuntimeError("out of order")


async def test_a_run_that_fails_says_why_and_is_played_again_when_asked(tmp_path: Path) -> None:
    runs = runs_of(changes(1, Random(1)), 1, (Arm.REVIEWER,))
    async with reviewing(tmp_path, SKILL) as parts:
        assert isinstance(parts.models, Reviewers)
        parts.models.made = {name: Broken(name, SKILL) for name in MODELS}
        failed = await evaluator(parts).play(runs)
        assert [bool(r.failed) for r in failed.readings] == [True]
        parts.models.made.clear()
        again = await evaluator(parts).play(runs)
    assert [r.failed for r in again.readings] == [""]


async def test_every_measure_has_a_value_once_there_are_repeats(tmp_path: Path) -> None:
    report = await measured(tmp_path, SKILL, changes(2, Random(2)), 2)
    for measure in MEASURES:
        assert all(f.value is not None for f in report.figures[measure.key].values()), measure.key


async def test_what_is_reserved_is_not_given_twice() -> None:
    nothing: Any = None  # a reservation asks for nothing else
    held = evaluator(nothing, budget=1.0)
    played = Played(spent=0.25)
    assert await held._reserve(0.5, played) == 0.75
    assert await held._reserve(0.25, played) == 0.25
    waits = asyncio.create_task(held._reserve(0.5, played))
    await asyncio.sleep(0)
    assert not waits.done()
    async with held._freed:
        held._reserved -= 0.5
        held._freed.notify_all()
    assert await waits == 0.5
    assert held._reserved == 0.75
    alone = evaluator(nothing, budget=1.0)
    assert await alone._reserve(2.0, played) == 0.75
    assert alone._reserved == 0.0
    free = evaluator(nothing)
    assert await free._reserve(2.0, played) is None
    assert free._reserved == 2.0
