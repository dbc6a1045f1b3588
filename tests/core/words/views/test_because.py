"""The reason of a decision by votes is the same line on every surface."""

from __future__ import annotations

from datetime import UTC, datetime

from core.words.views.verdict.dissent import because_line
from tests.browser.questions import question_table
from tests.core.table import Table, finding, stance, table

POINT = "A job that is written with its row can't be lost, and one system less runs at night"


def test_a_claim_that_decides_is_the_reason() -> None:
    """The golden thread of a panel shows it next to who disagrees."""
    debate = question_table("qst7n2hd", datetime(2026, 11, 1, tzinfo=UTC)).debate
    assert because_line(debate) == f"{POINT} (participant 3)"


def voted(*seats: tuple[str, float, str]) -> Table:
    t = table(findings=False)
    for n, (option, sure, because) in enumerate(seats, 1):
        t.says(f"t{n}", stance(option, sure, because=because))
    return t.says("end").concluded()


def test_else_it_is_the_surest_seat_of_those_that_hold_it() -> None:
    most = voted(
        ("approve", 0.6, "it is small"), ("approve", 0.9, "it is tested."), ("comment", 1, "x")
    )
    assert because_line(most.debate) == "it is tested (performance critic)"
    assert because_line(voted(("approve", 0.9, ""), ("approve", 0.9, "")).debate) == ""
    assert because_line(voted(("approve", 0.9, "a"), ("comment", 0.9, "b")).debate) == ""


def test_a_review_has_its_finding_instead() -> None:
    t = table().says("t1", stance("request_changes", 0.9, because="it leaks"), findings=[finding()])
    debate = t.says("t2", "request_changes").says("t3", "approve").says("end").concluded().debate
    assert because_line(debate) == ""
