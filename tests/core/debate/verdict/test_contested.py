"""A point is argued if the decision depends on it or a person calls it real; the others are not."""

from __future__ import annotations

from typing import Any

import pytest

from core.debate.script import SeatId
from core.debate.verdict.findings.contested import arguing_seats, contested
from tests.core.table import CRITICS, Table, agree, dispute, finding, table

MINOR = finding(must_fix=False)
SEVERAL = [finding(f"Point{n}", line=20 * n, severity=s) for n, s in enumerate(("low", "high"), 1)]


def opened(*findings: Any, option: str = "comment", **terms: Any) -> Table:
    """Returns openings of which only the first reports something."""
    t = table(terms=terms).says("t1", option, findings=findings)
    return t.says("t2", "approve").says("t3", "approve")


def points(t: Table) -> list[str]:
    return [point.id for point in contested(t.debate)]


@pytest.mark.parametrize(
    ("votes", "argued"),
    [
        ("", False),
        ("ann:real", True),
        ("ann:worse", True),
        ("ann:milder", False),
        ("ann:not_real", False),
        ("ann:not_real bob:real", True),
        ("author:real", False),
    ],
)
def test_a_minor_finding_is_argued_if_a_person_calls_it_real(votes: str, argued: bool) -> None:
    t = opened(MINOR)
    for voter, _, option in (vote.partition(":") for vote in votes.split()):
        t.votes(voter, option, "t1.f1", author=voter == "author")
    assert points(t) == (["t1.f1"] if argued else [])
    assert points(opened(MINOR).votes("ann", "real", "t9.f1")) == []


@pytest.mark.parametrize(
    ("t", "argued"),
    [
        (opened(MINOR, anyway=True), ["t1.f1"]),
        (opened(finding()), ["t1.f1"]),
        (opened(finding(anchored=False)), []),
        (opened(*SEVERAL, option="request_changes"), ["t1.f2"]),
        (opened(*SEVERAL), ["t1.f2"]),
        (opened(finding("Point1", line=20, severity="low"), option="request_changes"), ["t1.f1"]),
        (opened(*(finding(f"Point{n}", line=20 * n) for n in range(1, 5))),
         ["t1.f1", "t1.f2", "t1.f3", "t1.f4"]),
    ],
)  # fmt: skip
def test_what_a_seat_would_block_for_is_argued(t: Table, argued: list[str]) -> None:
    assert sorted(points(t)) == argued


def test_four_points_are_argued_at_most_first_what_most_seats_hold_then_the_gravest() -> None:
    severities = ("high", "critical", "high", "critical", "critical")
    raised = [finding(f"Point{n}", line=20 * n, severity=s) for n, s in enumerate(severities, 1)]
    t = table().says("t1", "request_changes", findings=raised).says("t2", "approve")
    again = [finding("Point3", line=60), finding("Point4", line=80, severity="critical")]
    t.says("t3", "request_changes", findings=again)
    assert points(t)[:2] == ["t1.f4", "t1.f3"]
    assert sorted(points(t)[2:]) == ["t1.f2", "t1.f5"]


@pytest.mark.parametrize(
    ("second", "third"), [("request_changes", "request_changes"), ("request_changes", "approve")]
)
def test_what_every_seat_wants_fixed_is_not_argued(second: str, third: str) -> None:
    t = table().says("t1", "request_changes", findings=[finding()])
    for turn, option in (("t2", second), ("t3", third)):
        t.says(turn, option, findings=[finding()] if option == "request_changes" else [])
    assert points(t) == ([] if third == "request_changes" else ["t1.f1"])


def test_a_seat_that_agrees_with_a_finding_wants_it_fixed_and_one_that_disputes_it_does_not() -> (
    None
):
    t = table().says("t1", "request_changes", findings=[finding()])
    t.says("t2", "request_changes", answers=[agree("t1.f1")]).says("t3", "request_changes")
    assert points(t) == []
    t = table().says("t1", "request_changes", findings=[finding()])
    t.says("t2", "approve", answers=[dispute("t1.f1")]).says("t3", "request_changes")
    assert points(t) == ["t1.f1"]


def test_three_seats_argue_and_one_of_each_point_that_it_raised_is_among_them() -> None:
    seats = ("a", "b", "c", "d", "chair:chair")
    turns = (*(f"t{n} {s} independent task=open" for n, s in enumerate("abcd", 1)), "end chair")
    t = table(seats, (*turns[:-1], "end chair round=1 closing"))
    t.says("t1", "approve", text="Fine.").says("t2", "approve", text="Good.")
    t.says("t3", "approve", text="Clear.").says("t4", "request_changes", findings=[finding()])
    chosen = arguing_seats(t.debate)
    assert len(chosen) == 3
    assert SeatId("d") in chosen
    assert arguing_seats(table().says("t1", "approve").says("t2", "approve").debate) == tuple(
        map(SeatId, CRITICS[:2])
    )
