"""What became of findings, read from one debate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.debate.commands.decisions import decide
from core.debate.earned import Threshold
from core.debate.errors import Refused
from core.debate.events import Became, FindingJudged
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.learned.forecasts import rate_findings, records_of
from core.debate.verdict.learned.judged import FindingOutcome, is_settled, outcomes_of
from tests.adapters.review.samples import reviewed
from tests.core.table import START


def finding(
    repository: str = "github.com/o/r",
    became: str = Became.FIXED,
    *,
    template: str = "code_review",
    forecast: float | None = None,
) -> FindingOutcome:
    return FindingOutcome(
        "m1", "correctness", True, 0.9, forecast, became, START, template, repository, "slack:T1/C1"
    )


def test_every_outcome_counts_for_or_against_and_an_unknown_one_for_neither() -> None:
    assert {word for word in Became if finding(became=word).right is None} == set()
    assert finding(became="a word of a newer release").right is None


def test_a_judgement_is_stored_once_and_code_never_overrules_a_person() -> None:
    table = reviewed()
    (first, *_) = merge_findings(table.debate)
    merged = FindingJudged(first.mark, Became.MERGED, START)
    (event,) = decide(table.debate, merged)
    table.add(event)
    assert decide(table.debate, merged) == ()
    by_ann = FindingJudged(first.mark, Became.REAL, START, "github:ann")
    table.add(by_ann)
    assert decide(table.debate, merged) == ()
    known = {one.mark: one.right for one in outcomes_of(table.debate)}
    assert known[first.mark] is True
    back = FindingJudged(first.mark, "", START, "github:ann")
    table.add(*decide(table.debate, back))
    assert decide(table.debate, back) == ()
    assert next(x.right for x in outcomes_of(table.debate) if x.mark == first.mark) is None
    assert decide(table.debate, merged) != ()  # nobody's word stands against code's any more


def test_nothing_became_of_a_finding_before_the_verdict() -> None:
    running = replace(reviewed().debate, concluded=None)
    with pytest.raises(Refused, match="no verdict yet"):
        decide(running, FindingJudged("m", Became.FIXED, START))


def test_it_is_settled_when_all_demands_are_judged() -> None:
    table = reviewed()
    demands = [one for one in outcomes_of(table.debate) if one.demanded]
    assert demands
    for one in demands:
        assert not is_settled(table.debate) or one.right is not None
        table.add(FindingJudged(one.mark, Became.FIXED, START))
    assert is_settled(table.debate)


def test_findings_alike_are_those_of_the_repository_or_else_of_the_template() -> None:
    threshold = Threshold()
    here = [finding() for _ in range(9)]
    elsewhere = [finding("github.com/o/other", Became.MERGED) for _ in range(4)]
    (record,) = records_of([*here, *elsewhere], threshold, "github.com/o/r", "code_review")
    assert (record.alike.judged, record.alike.right, record.wider) == (13, 9, True)
    assert record.standing.judged == 9
    (record,) = records_of([*here, finding(), *elsewhere], threshold, "github.com/o/r", "x")
    assert (record.alike.judged, record.alike.right, record.wider) == (10, 10, False)


def test_forecasts_have_a_score_from_ten() -> None:
    sure = [finding(forecast=0.9) for _ in range(9)]
    assert rate_findings(sure, Threshold()).brier is None
    rated = rate_findings([*sure, finding(forecast=0.9, became=Became.MERGED)], Threshold())
    assert rated.brier == pytest.approx(0.09)
    assert rated.stated == pytest.approx(0.09)
    assert [(p.n, p.right) for p in rated.curve] == [(10, 0.9)]
    assert rated.categories[0].standing.judged == 10
