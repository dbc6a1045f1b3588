"""Figures and their intervals keep their properties for all readings."""

from __future__ import annotations

from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation import Arm, ArmResult, Case, Defect, Spot
from core.evaluation.figures import MEASURES, difference, figure, parts_of
from core.evaluation.result import result
from tests.drawn import drawn

BY_KEY = {m.key: m for m in MEASURES}
DEFECT = Defect("it is wrong", (Spot("a.py", 3),))


def bad(id: str, defects: int = 1) -> Case:
    return Case(id, id, "", b"", (DEFECT,) * defects)


def clean(id: str) -> Case:
    return Case(id, id, "", b"", clean=True)


def read(case: str, arm: Arm = Arm.DEBATE, repeat: int = 1, **fields: object) -> ArmResult:
    return ArmResult(case, arm, repeat, **fields)  # type: ignore[arg-type]  # a test names its fields


cases = st.lists(st.booleans(), min_size=1, max_size=6).map(
    lambda kinds: [clean(f"c{n}") if kind else bad(f"c{n}", 2) for n, kind in enumerate(kinds)]
)


@st.composite
def measured(draw: st.DrawFn) -> tuple[list[Case], list[ArmResult]]:
    sample = draw(cases)
    readings = [
        read(
            case.id,
            arm,
            repeat,
            blocked=draw(st.booleans()),
            found=frozenset(draw(st.sets(st.sampled_from(case.located)))) if case.located else (),
            others=draw(st.integers(0, 3)),
            failed=draw(st.sampled_from(("", "", "", "it broke"))),
        )
        for case in sample
        for arm in (Arm.SINGLE, Arm.DEBATE)
        for repeat in (1, 2)
    ]
    return sample, readings


@drawn(8)
@given(measured(), st.randoms(use_true_random=False))
def test_figures_of_any_readings(drawn: tuple[list[Case], list[ArmResult]], rng: Random) -> None:
    """No order changes a value, it lies within its interval and a share within 0 and 1, and a
    difference turns its sign with its arms.
    """
    sample, readings = drawn
    shuffled = (rng.sample(sample, len(sample)), rng.sample(readings, len(readings)))
    for measure in MEASURES:
        mine, theirs = (parts_of(measure, a, *drawn) for a in (Arm.DEBATE, Arm.SINGLE))
        one = figure(measure, mine)
        other = figure(measure, parts_of(measure, Arm.DEBATE, *shuffled)).value
        assert one.value == pytest.approx(other) if one.value is not None else other is None
        if one.value is not None and one.low is not None and one.high is not None:
            assert one.low - 1e-9 <= one.value <= one.high + 1e-9
            assert not measure.share or 0 <= one.low <= one.high <= 1
        gap = difference(Arm.DEBATE, mine, Arm.SINGLE, theirs).figure
        back = difference(Arm.SINGLE, theirs, Arm.DEBATE, mine).figure
        assert gap.cases == back.cases
        assert gap.value is None or back.value == pytest.approx(-gap.value)


@pytest.mark.parametrize(("better", "value", "clear"), [(False, 0.0, False), (True, 0.65, True)])
def test_a_difference_on_the_same_changes(better: bool, value: float, clear: bool) -> None:
    sample = [bad(f"c{n}") for n in range(20)]
    finds_all = Arm.DEBATE if better else None
    both = [
        read(c.id, arm, found=frozenset({0} if arm is finds_all or n % 3 == 0 else ()))
        for n, c in enumerate(sample)
        for arm in (Arm.VOTE, Arm.DEBATE)
    ]
    gap = result(sample, both, (Arm.VOTE, Arm.DEBATE), 1, ("m",)).differences["found"][0]
    assert gap.figure.value == pytest.approx(value)
    assert gap.clear is clear


def test_where_all_came_out_alike_there_is_doubt_all_the_same() -> None:
    sample = [clean(f"c{n}") for n in range(3)]
    parts = parts_of(BY_KEY["false_blocks"], Arm.DEBATE, sample, [read(c.id) for c in sample])
    estimate = figure(BY_KEY["false_blocks"], parts)
    assert (estimate.value, estimate.low) == (0.0, 0.0)
    assert estimate.high is not None
    assert 0.5 < estimate.high < 0.6  # Wilson's for 0 of 3


def test_failed_readings_say_nothing_and_are_counted() -> None:
    sample = [bad("c1"), bad("c2")]
    readings = [read("c1", failed="it broke"), read("c2", found=frozenset({0}))]
    made = result(sample, readings, (Arm.DEBATE,), 1, ("m",))
    assert made.figures["found"][Arm.DEBATE].value == 1.0
    assert made.figures["found"][Arm.DEBATE].cases == 1
    assert made.missing == {Arm.DEBATE: {"it broke": 1}}


def test_defects_of_unknown_place_count_for_blocks_alone() -> None:
    somewhere = Case("c1", "c1", "", b"", (Defect("reverted"),))
    made = result([somewhere], [read("c1", blocked=True)], (Arm.DEBATE,), 1, ("m",))
    assert made.figures["sent_back"][Arm.DEBATE].value == 1.0
    assert made.figures["found"][Arm.DEBATE].value is None
    assert made.figures["rightly"][Arm.DEBATE].value is None


def test_stability_counts_pairs_of_runs() -> None:
    readings = [read("c1", repeat=n, blocked=n != 2) for n in (1, 2, 3)]
    made = result([bad("c1")], readings, (Arm.DEBATE,), 3, ("m",))
    assert made.figures["same_decision"][Arm.DEBATE].value == pytest.approx(1 / 3)
    assert made.figures["same_found"][Arm.DEBATE].value == 1.0


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_an_interval_holds_the_truth_nineteen_times_in_twenty(share: float) -> None:
    rng, held, tries = Random(5), 0, 50
    for _ in range(tries):
        drawn = {f"c{n}": (float(sum(rng.random() < share for _ in "12")), 2.0) for n in range(20)}
        sample = figure(BY_KEY["false_blocks"], drawn)
        assert sample.low is not None
        assert sample.high is not None
        held += sample.low <= share <= sample.high
    assert 0.92 * tries <= held


@pytest.mark.parametrize(("cases", "quantile"), [(20, 2.093), (30, 2.045), (60, 2.001)])
def test_the_interval_of_few_cases_is_as_wide_as_student_s_t(cases: int, quantile: float) -> None:
    """The quantiles are those of a printed table; 1.96 is that of many cases."""
    rng, widths = Random(7), list[float]()
    for _ in range(12):
        drawn = {f"c{n}": (rng.gauss(0.5, 0.1), 1.0) for n in range(cases)}
        sample = figure(BY_KEY["false_blocks"], drawn)
        assert sample.low is not None
        assert sample.high is not None
        error = stdev(value for value, _ in drawn.values()) / sqrt(cases)
        widths.append((sample.high - sample.low) / 2 / error)
    assert fmean(widths) == pytest.approx(quantile, abs=0.04)
