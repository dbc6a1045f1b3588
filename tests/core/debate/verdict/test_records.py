"""A finding that the change breaks a decision record is a comment, whoever holds it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from adapters.review.text import compose
from core.debate.ledger import Bar, Demand, Fate
from core.debate.material import DecisionRecord
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.demands import demands_after
from core.words.outcome import outcome
from core.words.views.verdict.findings import finding_view
from tests.adapters.review.samples import material
from tests.core.table import Table, finding, table

RECORD = DecisionRecord("0007", "Money is integers", "docs/adr/0007-money.md", "No floats.")
FLOATS: dict[str, Any] = {"title": "A price is a float", "trigger": "No floats.", "must_fix": True}


def review(*, people: int = 0, source: str = "record 0007", **given: Any) -> Table:
    t = table(material=replace(material(), records=(RECORD,)))
    for seat in ("t1", "t2", "t3"):
        t.says(seat, "request_changes", findings=[finding(**FLOATS | given, source=source)])
    for n in range(people):
        t.votes(f"u{n}", "real", "t1.f1")
    return t.says("end").concluded()


@pytest.mark.parametrize("people", [0, 3])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"severity": "critical"},
        {"source": "ADR-7"},
        {"source": "0007"},
        {"source": "", "title": "The float price breaks decision record 0007"},
    ],
)
def test_a_broken_record_is_named_and_blocks_nothing(given: dict[str, Any], people: int) -> None:
    t = review(people=people, **given)
    (one,) = merge_findings(t.debate)
    assert (one.bar, one.blocking) == (Bar.RECORD, False)
    assert verdict(t.debate).decision != "request_changes"
    view = finding_view(t.debate, one)
    assert view.state == "contradicts 0007: Money is integers" or one.confirmed
    assert "contradicts 0007: Money is integers" in dict(view.facts)["Blocks nothing"]
    (document,) = outcome(t.debate)["findings"]
    assert document["record"] == {
        "number": "0007", "title": "Money is integers", "path": "docs/adr/0007-money.md",
    }  # fmt: skip


def test_the_review_comments_on_the_line_and_asks_for_no_changes() -> None:
    made = compose(review().debate)
    assert made.event == "COMMENT"
    (comment,) = made.comments
    assert "contradicts 0007: Money is integers" in comment.body


def test_a_defect_that_one_seat_names_at_that_place_still_blocks() -> None:
    t = review()
    t.says("t2", "request_changes", findings=[finding(**FLOATS)])
    (one,) = merge_findings(t.debate)
    assert (one.record, one.blocking) == (None, True)


@pytest.mark.parametrize("source", ["record 0008", "rule 7 of AGENTS.md", ""])
def test_a_record_that_was_not_read_is_none(source: str) -> None:
    (one,) = merge_findings(review(source=source).debate)
    assert (one.record, one.blocking) == (None, True)


def test_the_ledger_keeps_what_it_was() -> None:
    (demand,) = demands_after(review().debate)
    assert (demand.finding.must_fix, demand.finding.source) == (False, "record 0007")


def test_two_demands_that_moved_together_name_the_record_as_one_does() -> None:
    named = finding(id="e1", must_fix=False, source="record 0007")
    demands = [Demand(f"m{n}", replace(named, id=f"e{n}"), 12, Fate.MOVED) for n in (1, 2)]
    both = replace(material(), records=(RECORD,), demands=tuple(demands), fresh=())
    (one,) = merge_findings(table(material=both).says("t1", "approve").debate)
    assert one.ids == ("e1", "e2")
    assert one.bar is Bar.RECORD
