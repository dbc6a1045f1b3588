"""The right to block, from outcomes alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, repeat

import pytest

from core.debate.earned import Frequency, Threshold
from core.debate.earned.betting import LEAST, RECENT, lower_bound, standing
from tools.bench.earned import play

THRESHOLD = Threshold()


def of(right: int, wrong: int) -> list[bool]:
    """Returns outcomes with the wrong ones spread evenly."""
    every = (right + wrong) // wrong if wrong else right + 1
    return [bool(n % every) for n in range(1, right + wrong + 1)]


def test_it_blocks_from_the_least_number_of_judged_findings() -> None:
    assert not standing([True] * (LEAST - 1), THRESHOLD).earned
    assert standing([True] * LEAST, THRESHOLD).earned


@pytest.mark.parametrize(("right", "wrong", "earned"), [(27, 3, True), (26, 4, False)])
def test_it_blocks_if_the_lower_bound_passes(right: int, wrong: int, earned: bool) -> None:
    made = standing(of(right, wrong), THRESHOLD)
    assert (made.judged, made.right, made.earned) == (right + wrong, right, earned)
    assert (made.low >= THRESHOLD.precision) is earned


def test_the_team_sets_what_it_must_reach() -> None:
    outcomes = of(36, 4)
    assert standing(outcomes, THRESHOLD).earned
    assert not standing(outcomes, replace(THRESHOLD, precision=0.8)).earned
    assert not standing(outcomes, replace(THRESHOLD, certainty=0.99)).earned


def test_it_falls_back_and_begins_anew() -> None:
    good = [True] * 90
    lost = standing([*good, *[False] * 5], THRESHOLD)
    assert (lost.earned, lost.judged) == (False, 0)
    again = standing([*good, *[False] * 5, *[True] * (LEAST - 1)], THRESHOLD)
    assert (again.earned, again.judged) == (False, LEAST - 1)
    assert standing([*good, *[False] * 5, *[True] * LEAST], THRESHOLD).earned


def test_half_wrong_loses_it_within_the_newest_findings() -> None:
    half = list(chain.from_iterable(repeat((False, True), RECENT // 2 + 1)))[:RECENT]
    assert standing([*[True] * 300, *half], THRESHOLD).judged < RECENT


def test_a_bound_is_below_the_share_and_grows_with_what_is_known() -> None:
    bounds = [lower_bound(9 * n, 10 * n, 0.9) for n in (1, 3, 10)]
    assert bounds == sorted(bounds)
    assert bounds[-1] < 0.9
    assert lower_bound(0, 0, 0.9) == lower_bound(0, 5, 0.9) == 0


def test_a_frequency_is_known_from_ten() -> None:
    assert Frequency(9, 9).share is None
    assert Frequency(10, 9).share == 0.9


def test_the_promise_holds_over_drawn_teams() -> None:
    """The same as ``python -m tools.bench.earned``, with fewer teams."""
    figures = play(150, 7)
    assert figures.kept >= 0.95 * figures.teams > 100
    assert figures.lost >= 0.95 * figures.turned > 30
