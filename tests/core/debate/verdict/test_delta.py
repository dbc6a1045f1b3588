"""The changes of stance in a debate are listed, each with its reason or as conformity."""

from __future__ import annotations

import pytest

from core.debate.material import CodeFinding, Material, MaterialKind
from core.debate.script import SeatId
from core.debate.verdict.delta import conformists, moves
from core.debate.verdict.dissent import dissents
from tests.core.table import Table, agree, dispute, finding, stance, table

SECURITY, PERFORMANCE, UPKEEP = map(
    SeatId, ("security_critic", "performance_critic", "maintainability_critic")
)


def moved(by: str, turn: str = "u2", t: Table | None = None) -> Table:
    t = t or table().says(
        "t1", "request_changes", claims=["The input is not checked"], findings=[finding()]
    )
    return t.says("t2", "approve", claims=["It is fast enough"]).says(
        turn, stance("request_changes", moved_by=by, because="I see")
    )


def test_a_move_names_who_from_where_to_where_and_by_what() -> None:
    (move,) = moves(moved("t1.c1").debate)
    assert (move.seat, move.turn, move.round, move.before, move.after, move.by, move.conformity,
    move.because) == (
        PERFORMANCE, "u2", 1, "approve", "request_changes", "t1.c1", False, "I see",
    )  # fmt: skip


@pytest.mark.parametrize(
    "by", ["t1.f1", "t1", "finding t1.f1, which is right", "[t1.c1].", "P1: t1.c1"]
)
def test_what_moved_a_seat_is_found_in_its_words(by: str) -> None:
    assert conformists(moved(by).debate) == frozenset()


@pytest.mark.parametrize("by", ["", "the others", "t9.c1", "t1.c7", "t2.c1", "u2", "u2.c1"])
def test_a_flip_without_an_existing_claim_of_somebody_else_is_conformity(by: str) -> None:
    assert conformists(moved(by).debate) == {PERFORMANCE}


def test_nobody_is_moved_by_what_it_did_not_read() -> None:
    t = table().says("t2", "approve").says("u1", "comment", claims=["Later in the same round"])
    assert conformists(t.says("u2", stance("comment", moved_by="u1.c1")).debate) == {PERFORMANCE}


def test_a_challenge_and_what_code_proved_are_reasons() -> None:
    assert (
        conformists(moved("ch1", t=table().challenges("What about retries?")).debate) == frozenset()
    )
    proven = Material(
        MaterialKind.DIFF, "d", "…", proven=(CodeFinding("a.py", 1, "RIGHT", "high", "A secret"),)
    )
    assert conformists(moved("code.f1", t=table(material=proven)).debate) == frozenset()
    assert conformists(moved("code.f2", t=table(material=proven)).debate) == {PERFORMANCE}


def test_going_back_is_two_moves_and_the_last_one_counts() -> None:
    t = table(turns=("t1 security_critic", "t2 performance_critic",
    "u2 performance_critic round=1 reads=t1",
                     "v2 performance_critic round=2 reads=t1",
                     "end chair round=2 closing"))  # fmt: skip
    t.says("t1", "comment").says("t2", "approve").says("u2", "comment").says(
        "v2", stance("approve", moved_by="t1")
    )
    assert [(m.before, m.after, m.conformity) for m in moves(t.debate)] == [
        ("approve", "comment", True),
        ("comment", "approve", False),
    ]
    assert conformists(t.debate) == frozenset()


def test_staying_is_no_move_and_taking_a_stance_back_is_one() -> None:
    t = table().says("t1", "approve").says("u1", "Approve")
    assert moves(t.debate) == ()
    assert [m.after for m in moves(table().says("t1", "approve").says("u1", "abstain").debate)] == [
        "none"
    ]


# -- dissent


def against(t: Table) -> dict[str, tuple[str, str, str]]:
    return {d.seat: (d.stance, d.because, d.would_resolve_if) for d in dissents(t.debate)}


def test_who_holds_another_option_dissents_with_what_would_settle_it() -> None:
    t = table().says("t1", "comment").says("t2", "comment")
    t.says("t3", stance("approve", because="It is dead code", would_resolve_if="a caller is shown"))
    assert against(t) == {UPKEEP: ("approve", "It is dead code", "a caller is shown")}


def test_dissent_is_kept_even_where_nothing_was_said_about_it() -> None:
    assert against(table().says("t1", "comment").says("t2", "comment").says("t3", "approve")) == {
        UPKEEP: ("approve", "not stated", "not stated")
    }


def test_who_disputes_a_finding_that_blocks_dissents_and_abstaining_does_not() -> None:
    t = table().says("t1", "request_changes", findings=[finding()]).says("t2", "request_changes")
    t.says("t3", "abstain", answers=[agree("t1.f1")])
    t.says("u2", answers=[dispute("t1.f1", "the cost is small")])
    assert against(t) == {
        PERFORMANCE: (
            "request_changes",
            "disputes “The query is built from user input”: the cost is small",
            "not stated",
        )
    }


def test_disputing_what_does_not_block_is_no_dissent() -> None:
    t = table().says("t1", "comment", findings=[finding(severity="low")])
    t.says("t2", "comment", answers=[dispute("t1.f1")])
    assert against(t) == {}


def test_who_holds_a_finding_that_people_dispute_dissents() -> None:
    t = table().says("t1", "approve", findings=[finding()]).says("t2", "approve")
    t.votes("a", "x", "t1.f1").votes("b", "x", "t1.f1")
    assert against(t) == {
        SECURITY: ("approve", "holds “The query is built from user input”", "not stated")
    }


def test_in_a_tie_everybody_dissents() -> None:
    assert set(against(table(findings=False).says("t1", "approve").says("t2", "comment"))) == {
        SECURITY,
        PERFORMANCE,
    }
