"""The bench of the rule, in small: it runs, repeats itself, and its bars can be missed."""

from __future__ import annotations

from tests.bench.judgement import Bar, bars, measure, spared, table
from tests.bench.world import SKILLS, Setting, settings

FEW = [Setting(skill, 0.5, 0.3, True) for skill in SKILLS]


def test_every_setting_of_the_world_is_measured() -> None:
    assert len(set(settings())) == 54


def test_the_same_debates_give_the_same_figures() -> None:
    assert measure(FEW[2], 40) == measure(FEW[2], 40)


def test_the_rule_misses_less_than_an_independent_majority_and_no_order_changes_it() -> None:
    measured = [measure(setting, 120) for setting in FEW]
    by_order, worse = bars(measured)[-1], bars(measured)[-2]
    assert (by_order.figure, by_order.met, worse.met) == (0, True, True)
    for of_skill in measured:
        ours, majority = of_skill.counts["outvoted"], of_skill.counts["two"]
        assert ours.missed_true < majority.missed_true
    assert [line.split("  ")[0] for line in table(measured)[1:]] == [
        "one critic alone",
        "found by two of three independently",
        "everything anybody found, no debate",
        "disputes soften nothing (0.1)",
        "outvoted",
    ]
    assert len(spared(measured)) == 2


def test_a_bar_that_is_missed_says_so() -> None:
    assert str(Bar("clean changes blocked", 0.4, 0.352)) == (
        f"FAIL  {'clean changes blocked':<58} 0.400 (at most 0.352)"
    )
