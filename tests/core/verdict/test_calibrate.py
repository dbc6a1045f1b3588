"""The threshold of the rule is fitted to people's word on verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.debate import Debate
from core.replies import Severity
from core.verdict import verdict
from core.verdict.findings.outvoted import OutvoteBar
from core.verdict.learned.calibrate import ALONE, SHARE, SURE, fit
from core.verdict.learned.ratings import ENOUGH
from tests.core.table import agree, finding, stance, table


def review(n: int, confidence: float, held: bool) -> Debate:
    """Returns a review in which one seat holds one high finding of this confidence and the others
    saw nothing.
    """
    t = table().says("t1", stance("comment"), findings=(finding(confidence=confidence),))
    t.says("t2", "approve").says("t3", "approve")
    debate = t.says("u1", "comment").says("u2", "approve").says("u3", "approve").concluded()
    return replace(debate.resolved(held).debate, id=f"d{n}")


def test_the_threshold_of_a_debate_decides_what_is_sure() -> None:
    debate = review(0, 0.7, True)
    strict = replace(debate.open, terms=replace(debate.open.terms, sure=0.8))
    assert verdict(debate).decision == "request_changes"
    assert verdict(replace(debate, opened=strict)).decision == "comment"


def test_false_alarms_of_little_confidence_ask_for_a_higher_threshold() -> None:
    debates = [review(n, 0.65, False) for n in range(8)]
    debates += [review(n, 0.95, True) for n in range(8, 14)]
    fitted = fit(debates)
    assert (fitted.bar, fitted.today.right, fitted.today.n) == (OutvoteBar(), 6, 14)
    assert fitted.best is not None
    assert (fitted.best.threshold, fitted.best.value, fitted.best.right) == ("sure", "0.7", 14)
    assert fitted.best.passed == tuple(f"d{n}" for n in range(8))
    assert fitted.best.blocked == ()


def test_defects_that_were_let_pass_ask_for_a_lower_one() -> None:
    debates = [review(n, 0.58, False) for n in range(ENOUGH)]
    fitted = fit(debates)
    assert fitted.best is not None
    assert (fitted.best.value, len(fitted.best.blocked)) == ("0.55", ENOUGH)


def test_single_seats_that_cry_wolf_ask_for_a_higher_severity() -> None:
    fitted = fit([review(n, 0.97, False) for n in range(ENOUGH)])
    assert fitted.best is not None
    assert (fitted.best.threshold, fitted.best.value) == ("alone", "critical")
    assert len(fitted.best.passed) == ENOUGH


def test_medium_findings_that_were_let_pass_ask_for_fewer_seats() -> None:
    fitted = fit([agreed(n) for n in range(ENOUGH)])
    assert fitted.best is not None
    assert (fitted.best.threshold, fitted.best.value) == ("share", "0.34")
    assert len(fitted.best.blocked) == ENOUGH


def agreed(n: int) -> Debate:
    """Returns a review in which two of four seats hold a medium finding; the change passed, and
    that did not hold.
    """
    t = table(("one", "two", "three", "four", "chair:chair"))
    t.says("t1", "comment", findings=(finding(severity=Severity.MEDIUM, confidence=0.97),))
    t.says("t2", "comment", answers=()).says("t3", "comment").says("t4", "comment")
    t.says("u1", "comment").says("u2", "comment", answers=[agree("t1.f1")])
    t.says("u3", "comment").says("u4", "comment").concluded()
    return replace(t.resolved(False).debate, id=f"d{n}")


def test_few_outcomes_recommend_nothing() -> None:
    fitted = fit([review(n, 0.65, False) for n in range(ENOUGH - 1)])
    assert fitted.best is None
    assert max(t.right for t in fitted.trials) == ENOUGH - 1
    assert fit([]).today.n == 0


def test_what_fits_today_is_left_alone() -> None:
    assert fit([review(n, 0.95, True) for n in range(20)]).best is None


def test_only_resolved_reviews_count() -> None:
    unresolved = replace(review(0, 0.7, True), resolved=None)
    assert fit([unresolved, table(findings=False).debate]).today.n == 0


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from((0.52, 0.63, 0.78, 0.97)), st.booleans()), max_size=14))
def test_what_is_shown_adds_up(drawn: list[tuple[float, bool]]) -> None:
    debates = [review(n, confidence, held) for n, (confidence, held) in enumerate(drawn)]
    fitted = fit(debates)
    assert [t.value for t in fitted.trials] == [
        *(f"{value:g}" for value in SURE),
        *ALONE,
        *(f"{value:g}" for value in SHARE),
    ]
    for trial in fitted.trials:
        assert 0 <= trial.right <= trial.n == len(drawn)
        assert trial.held.low <= (trial.right / trial.n if trial.n else 0.5) <= trial.held.high
        assert not set(trial.blocked) & set(trial.passed)
        if trial.threshold == "sure" and float(trial.value) >= OutvoteBar().sure:
            assert trial.blocked == ()
    again = [t for t in fitted.trials if t.value in ("0.6", "high", "0.5")]
    assert [t.changes for t in again] == [0, 0, 0]
    if fitted.best is not None:
        assert fitted.best.right == max(t.right for t in fitted.trials) > fitted.today.right


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_debates_changes_nothing(order: int) -> None:
    debates = [review(n, 0.65, False) for n in range(12)][::order]
    best = fit(debates).best
    assert best is not None
    assert (best.right, best.changes) == (12, 12)
