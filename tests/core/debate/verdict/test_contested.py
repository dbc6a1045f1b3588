"""A point is argued if the decision depends on it or a person calls it real; the others are not."""

from __future__ import annotations

from typing import Any

import pytest

from core.debate.finding import Finding
from core.debate.replies import Answer, Position
from core.debate.verdict.findings.contested import arguing_seats, contested
from tests.core.table import CRITICS, Table, agree, dispute, finding, table

MINOR = finding(must_fix=False)
SEVERAL = [finding(f"Point{n}", line=20 * n, severity=s) for n, s in enumerate(("low", "high"), 1)]

MILD = [finding(f"Point{n}", line=20 * n, severity=s) for n, s in enumerate(("low", "medium"), 1)]


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
        ("ann:real bob:real", False),
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
        (opened(finding(anchored=False)).votes("ann", "real", "t1.f1"), []),
        (opened(finding()).votes("ann", "not_real", "t1.f1").votes("bob", "x", "t1.f1"), []),
        (opened(*MILD, option="request_changes"), ["t1.f2"]),
        (opened(*MILD), []),
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


@pytest.mark.parametrize(
    ("second", "third", "argued"),
    [(agree, agree, False), (agree, None, True), (dispute, agree, True), (None, None, True)],
)
def test_a_seat_that_agrees_with_a_finding_wants_it_fixed_too(
    second: Any, third: Any, argued: bool
) -> None:
    t = table().says("t1", "request_changes", findings=[finding()])
    for turn, answer in (("t2", second), ("t3", third)):
        t.says(turn, "comment", answers=[answer("t1.f1")] if answer else [])
    assert points(t) == (["t1.f1"] if argued else [])


def four(**says: Any) -> tuple[str, ...]:
    """Returns the seats that argue, of four that open; those without words approve."""
    seats = ("a", "b", "c", "d", "chair:chair")
    opens = [f"t{seat} {seat} independent task=open" for seat in "abcd"]
    t = table(seats, (*opens, "end chair round=1 closing"))
    for seat in "abcd":
        option, *findings = says.get(seat, ("approve",))
        answers = [each for each in findings if not isinstance(each, Finding)]
        raised = [each for each in findings if isinstance(each, Finding)]
        t.says(f"t{seat}", option, text=f"So {seat}.", findings=raised, answers=answers)
    return arguing_seats(t.votes("ann", "real", "td.f1").debate)


def test_of_each_point_a_seat_that_raised_it_argues_and_then_those_that_did_not() -> None:
    assert "d" in four(d=("request_changes", finding()))
    assert "d" in four(d=("comment", MINOR)), "nobody would block for it"
    agreeing = ("comment", Answer("td.f1", Position.NEED_NOT))
    assert four(d=("request_changes", finding()), a=agreeing) == ("b", "c", "d")
    assert four(d=("request_changes", finding()), a=("comment", MINOR)) == ("b", "c", "d")
    each = {seat: ("request_changes", finding(f"Point{seat}", line=20 * n))
            for n, seat in enumerate("abc", 1)}  # fmt: skip
    assert len(four(**each, d=("comment", finding("Pointd", line=90)))) == 3


def test_if_fewer_seats_opened_all_of_them_argue() -> None:
    t = table().says("t1", "approve").says("t2", "approve")
    assert arguing_seats(t.debate) == CRITICS[:2]
