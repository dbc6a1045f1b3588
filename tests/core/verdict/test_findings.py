"""One defect, many wordings; who holds it, who takes it back, and what people say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.material import CodeFinding, Kind, Material
from core.replies import Answer, Position, Severity
from core.script import SeatId
from core.verdict.findings import fingerprint, merge_findings, same
from tests.core.table import CRITICS, Table, agree, dispute, finding, table, withdraw

SECURITY, PERFORMANCE, UPKEEP = map(SeatId, CRITICS)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (
            {"title": "SQL injection in user lookup"},
            {"title": "Query built by string concatenation allows SQL injection"},
            True,
        ),
        (
            {"title": "SQL injection in user lookup"},
            {"title": "SQL injection in user lookup", "line": 15},
            True,
        ),
        (
            {"title": "SQL injection in user lookup"},
            {"title": "SQL injection in user lookup", "line": 40},
            False,
        ),
        (
            {"title": "SQL injection in user lookup"},
            {"title": "SQL injection in user lookup", "path": "app/web.py"},
            False,
        ),
        (
            {"title": "SQL injection in user lookup"},
            {"title": "SQL injection in user lookup", "side": "LEFT"},
            False,
        ),
        ({"title": "SQL injection in user lookup"}, {"title": "Connection is never closed"}, False),
        (
            {
                "title": "Missing timeout on HTTP call",
                "trigger": "the server hangs, the worker waits for ever",
                "line": 12,
            },
            {
                "title": "Missing error handling on HTTP call",
                "trigger": "a 500 crashes the loop",
                "line": 14,
            },
            False,
        ),
        (
            {"title": "Retry has no ceiling", "path": "", "line": None},
            {"title": "No ceiling for retries", "path": "", "line": None},
            True,
        ),
        (
            {"title": "Retry has no ceiling", "path": "", "line": None},
            {"title": "Costs are unknown", "path": "", "line": None},
            False,
        ),
    ],
)
def test_wordings_are_one_defect_by_place_and_meaning(
    one: dict[str, Any], other: dict[str, Any], is_same: bool
) -> None:
    assert same(finding(**one), finding(**other)) is is_same
    assert same(finding(**other), finding(**one)) is is_same


def test_merging_keeps_every_wording_and_shows_the_gravest() -> None:
    t = table().says(
        "t1", findings=[finding("Injection through the name", severity="medium", confidence=0.9)]
    )
    t.says("t2", findings=[finding("Name allows injection", severity="critical", confidence=0.7)])
    (found,) = merge_findings(t.debate)
    assert (found.id, found.by, found.ids) == ("t1.f1", (SECURITY, PERFORMANCE), ("t1.f1", "t2.f1"))
    assert (found.shown.title, found.shown.severity, found.shown.id) == (
        "Name allows injection",
        Severity.CRITICAL,
        "t1.f1",
    )


def test_agreeing_and_conceding_is_holding_and_disputing_is_not() -> None:
    t = (
        table()
        .says("t1", findings=[finding()])
        .says("u2", answers=[agree("t1.f1")])
        .says("u3", answers=[dispute("t1.f1", "dead code")])
    )
    (found,) = merge_findings(t.debate)
    assert (found.by, found.disputed_by, found.state) == (
        (SECURITY, PERFORMANCE),
        (UPKEEP,),
        "open",
    )
    assert found.reasons[UPKEEP].because == "dead code"


def test_the_last_answer_of_a_seat_counts() -> None:
    t = (
        table()
        .says("t1", findings=[finding()])
        .says("t2", answers=[agree("t1.f1")])
        .says("u2", answers=[dispute("t1.f1")])
    )
    (found,) = merge_findings(t.debate)
    assert (found.by, found.disputed_by) == ((SECURITY,), (PERFORMANCE,))


def test_a_finding_is_withdrawn_when_nobody_holds_it_any_more() -> None:
    t = (
        table()
        .says("t1", findings=[finding()])
        .says("t2", answers=[agree("t1.f1")])
        .says("u1", answers=[withdraw("t1.f1")])
    )
    assert [f.state for f in merge_findings(t.debate)] == ["open"]
    t.says("u2", answers=[Answer("t1.f1", Position.WITHDRAW)])
    assert [(f.state, f.blocking) for f in merge_findings(t.debate)] == [("withdrawn", False)]


def test_seats_cannot_dispute_a_finding_away() -> None:
    t = (
        table()
        .says("t1", findings=[finding()])
        .says("u2", answers=[dispute("t1.f1")])
        .says("u3", answers=[dispute("t1.f1")])
    )
    assert [(f.state, f.blocking) for f in merge_findings(t.debate)] == [("open", True)]


@pytest.mark.parametrize(
    ("fields", "holders", "blocking"),
    [
        ({"severity": "high", "confidence": 0.6}, 1, True),
        ({"severity": "critical", "confidence": 0.6}, 1, True),
        ({"severity": "high", "confidence": 0.59}, 1, False),
        ({"severity": "high", "anchored": False}, 2, False),
        ({"severity": "medium"}, 1, False),
        ({"severity": "medium"}, 2, True),
        ({"severity": "medium", "confidence": 0.5}, 2, False),
        ({"severity": "low", "confidence": 1.0}, 2, False),
    ],
)
def test_what_blocks(fields: dict[str, Any], holders: int, blocking: bool) -> None:
    t = table().says("t1", findings=[finding(**fields)])
    if holders == 2:
        t.says("t2", answers=[agree("t1.f1")])
    assert [f.blocking for f in merge_findings(t.debate)] == [blocking]


def test_a_grave_doubt_beside_a_sure_lesser_wording_blocks_as_the_lesser() -> None:
    t = table().says("t1", findings=[finding(severity="high", confidence=0.5)])
    t.says("t2", findings=[finding(severity="medium", confidence=0.9)])
    assert [f.blocking for f in merge_findings(t.debate)] == [True]


def people_say(*options: str, t: Table | None = None) -> Table:
    t = t or table().says("t1", findings=[finding()])
    for n, option in enumerate(options):
        t.votes(f"person{n}", option, "t1.f1")
    return t


def test_people_dispute_a_finding_by_a_strict_majority_of_at_least_two() -> None:
    assert merge_findings(people_say("not_real").debate)[0].state == "open"
    assert (
        merge_findings(people_say("not_real", "not_real", "real", "real").debate)[0].state == "open"
    )
    found = merge_findings(people_say("❌", "x", "real").debate)[0]
    assert (found.state, found.blocking, found.people["not_real"]) == ("disputed", False, 2)


def test_the_author_cannot_vote_a_finding_away() -> None:
    t = (
        table()
        .says("t1", findings=[finding()])
        .votes("ann", "not_real", "t1.f1", author=True)
        .votes("bob", "not_real", "t1.f1")
    )
    (found,) = merge_findings(t.debate)
    assert (found.state, found.people["not_real"], found.author["not_real"]) == ("open", 1, 1)


def test_a_severe_security_finding_that_people_dispute_asks_for_a_maintainer() -> None:
    assert merge_findings(people_say("x", "x").debate)[0].maintainer
    by_another = (
        table().says("t2", findings=[finding()]).votes("a", "x", "t2.f1").votes("b", "x", "t2.f1")
    )
    assert not merge_findings(by_another.debate)[0].maintainer


def test_confirmed_by_people_is_exempt_from_withdrawal() -> None:
    t = people_say("real", "worse").says("u1", answers=[withdraw("t1.f1")])
    assert [(f.state, f.confirmed) for f in merge_findings(t.debate)] == [("open", True)]


@pytest.mark.parametrize(
    ("votes", "severity"),
    [
        (("worse", "worse"), "critical"),
        (("milder", "milder"), "medium"),
        (("worse",), "high"),
        (("worse", "worse", "milder", "milder"), "high"),
    ],
)
def test_people_move_the_severity_by_one_step(votes: tuple[str, ...], severity: str) -> None:
    assert merge_findings(people_say(*votes).debate)[0].shown.severity == severity


def test_a_person_who_votes_on_two_wordings_counts_once() -> None:
    t = table().says("t1", findings=[finding()]).says("t2", findings=[finding()])
    t.votes("bob", "not_real", "t1.f1").votes("bob", "not_real", "t2.f1")
    (found,) = merge_findings(t.debate)
    assert (found.people["not_real"], found.state) == (1, "open")


def test_what_code_proved_is_a_finding_that_no_seat_can_take_back() -> None:
    proven = CodeFinding("app/settings.py", 3, "RIGHT", "high", "A secret in an added line")
    t = table(material=Material(Kind.DIFF, "d", "…", proven=(proven,))).says(
        "t1", answers=[withdraw("code.f1"), dispute("code.f1")]
    )
    (found,) = merge_findings(t.debate)
    assert (found.id, found.by, found.blocking, found.disputed_by) == (
        "code.f1",
        ("code",),
        True,
        (SECURITY,),
    )


def test_a_finding_keeps_its_fingerprint_when_its_line_moves() -> None:
    assert fingerprint(finding(line=12, quote="x = 1")) == fingerprint(
        finding(line=90, quote=" x  = 1")
    )
    assert fingerprint(finding()) != fingerprint(finding(path="app/web.py"))


@given(st.permutations(["t1", "t2", "t3", "u1", "u2", "u3"]))
def test_findings_do_not_depend_on_the_order_of_arrival(order: list[str]) -> None:
    said = {
        "t1": [finding()],
        "t2": [finding("User input builds the query", severity="medium")],
        "t3": [finding("Pool is never closed", line=30, severity="low")],
    }
    answers = {"u1": [withdraw("t1.f1")], "u2": [agree("t3.f1")], "u3": [dispute("t1.f1")]}
    t = table()
    for turn in order:
        t.says(turn, findings=said.get(turn, ()), answers=answers.get(turn, ()))
    found = merge_findings(t.debate)
    assert [(f.id, f.by, f.disputed_by, f.state) for f in found] == [
        ("t1.f1", (PERFORMANCE,), (UPKEEP,), "open"),
        ("t3.f1", (UPKEEP, PERFORMANCE), (), "open"),
    ]
