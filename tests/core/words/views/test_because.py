"""The reason of a decision by votes is the same line on every surface; who disagrees most."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from core.debate.replies import Answer, Stance
from core.words.views.verdict.dissent import because_line, disagreement
from tests.browser.questions import question_table
from tests.core.table import Table, agree, dispute, finding, stance, table

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


def held(*seats: Stance, **fields: Any) -> Table:
    t = table((*"abcd"[: len(seats)], "chair:chair"), **fields)
    for n, option in enumerate(seats, 1):
        t.says(f"t{n}", option)
    return t


def blocked(faults: int, second: Stance | str, *answers: Answer) -> Table:
    """Returns a review that asks for changes; the first seat approves, and raised the findings."""
    faulty = [finding(f"Fault {n}", severity="critical", line=40 * n) for n in range(1, faults + 1)]
    agreed = [agree(f"t1.f{n}") for n in range(1, faults + 1)]
    t = table().says("t1", "approve", findings=faulty).says("t2", second, answers=answers)
    return t.says("t3", "request_changes", answers=agreed).says("u1", "approve")


YES, CHANGES = stance("approve", 0.9), stance("request_changes", 0.9)
SETTLES = stance("request_changes", 0.3, because="b", would_resolve_if="c")
NO_REASON = "no reason given"


@pytest.mark.parametrize(
    ("made", "label", "line"),
    [
        (held(YES, YES, stance("comment", 0.5, because="a"), stance("request_changes", 0.8),
              findings=False),
         "Who disagrees most", f"d (request changes): {NO_REASON}"),
        (held(YES, stance("comment", 0.9, because="a"), SETTLES, findings=False),
         "Who disagrees most", "c (request changes): b. Would settle it: c"),
        (blocked(1, replace(CHANGES, would_resolve_if="c"), dispute("t1.f1", "no")),
         "Who disagrees most",
         f"security critic (approve, holds the finding too): {NO_REASON}"),
        (blocked(1, stance("comment", 1.0, because="a")),
         "Who disagrees most", "performance critic (comment): a"),
        (blocked(1, "", dispute("t1.f1", "no")), "Who disagrees most",
         f"security critic (approve, holds the finding too): {NO_REASON}"),
        (blocked(2, CHANGES), "Who disagrees", f"security critic (approve): {NO_REASON}"),
        (held(YES, YES, YES), "Who disagrees", "nobody"),
        (table().fails("t1").fails("t2").fails("t3"), "", ""),
    ],
)  # fmt: skip
def test_who_disagrees_most_holds_another_option_and_names_what_settles_it(
    made: Table, label: str, line: str
) -> None:
    assert disagreement(made.debate) == (label, line)
