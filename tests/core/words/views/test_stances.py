"""What seats held, what moved them, and how people voted, in words and rows."""

from __future__ import annotations

import pytest

from core.debate.script import TurnId
from core.debate.state import Debate
from core.words.views.verdict.stances import (
    VoteRow,
    opinion_lines,
    stances_by_round,
    standing_words,
    stays,
    vote_rows,
)
from tests.core.table import Table, stance, table


def standing(debate: Debate, id: str) -> tuple[str, bool]:
    """Returns the words for the stance of a turn, and whether the seat kept its option."""
    turn, statement = debate.script.turn(TurnId(id)), debate.statement(id)
    assert statement is not None
    return standing_words(debate, turn, statement), stays(debate, turn, statement)


def test_a_stance_says_what_it_was_and_what_moved_the_seat() -> None:
    t = table(turns=(
        *("t1 security_critic", "t2 performance_critic", "t3 maintainability_critic"),
        *("u1 security_critic round=1", "u2 performance_critic round=1 reads=t1"),
        *("u3 maintainability_critic round=1", "end chair round=1 closing"),
    ))  # fmt: skip
    t.says("t1", "approve", claims=["It is tested"]).says("t2", "comment").says("t3", "approve")
    t.says("u1", "approve").says("u2", stance("approve", 0.9, moved_by="t1.c1"))
    t.says("u3", "comment").says("end", ruling="request_changes")
    assert standing(t.debate, "t2") == ("comment, 70% sure", False)
    assert standing(t.debate, "u1") == ("approve, 70% sure", True)
    moved = "approve, 90% sure · was: comment, moved by “It is tested”"
    assert standing(t.debate, "u2") == (moved, False)
    assert standing(t.debate, "u3") == ("comment, 70% sure · was: approve", False)
    assert standing(t.debate, "end") == ("rules request changes", False)
    silent = table().says("t1").says("t2", "none")
    assert standing(silent.debate, "t1") == ("", False)
    assert standing(silent.debate, "t2") == ("without a stance", False)


def test_each_round_has_all_stances_after_it() -> None:
    t = table(("a", "b", "chair:chair")).says("t1", "approve").says("t2", "comment")
    rounds = stances_by_round(t.says("u2", stance("approve", 0.9)).debate)
    assert rounds == (
        ("Round 1", {"a": ("approve", 0.7), "b": ("comment", 0.7)}),
        ("Round 2", {"a": ("approve", 0.7), "b": ("approve", 0.9)}),
    )


def voted(first: str, last: str, *people: str) -> Table:
    """Returns a debate of two seats before its end; the second holds these options."""
    t = table(("a", "b", "chair:chair")).says("t1", "approve").says("t2", first)
    for n, option in enumerate(people):
        t.votes(f"person{n}", option)
    return t.says("u1", "approve").says("u2", last)


@pytest.mark.parametrize(
    ("first", "last", "nobody"),
    [
        ("approve", "approve", []),
        ("approve", "", []),
        ("", "approve", [VoteRow("without a stance", 1, 0, None, "")]),
        ("", "", [VoteRow("without a stance", 1, 1, None, "")]),
    ],
)
def test_seats_without_an_option_have_a_row_if_there_were_any(
    first: str, last: str, nobody: list[VoteRow]
) -> None:
    rows = vote_rows(voted(first, last).says("end").concluded().debate)
    assert [row.option for row in rows[:3]] == ["approve", "comment", "request changes"]
    assert list(rows[3:]) == nobody


def test_people_s_votes_are_shown_at_the_end_with_an_interval_from_four_on() -> None:
    for people, approve, comment in (
        (("approve",) * 3, (3, ""), (0, "")),
        (("approve",) * 4, (4, "0.51–1.00"), (0, "0.00–0.49")),
    ):
        t = voted("comment", "comment", *people)
        assert [(row.people, row.interval) for row in vote_rows(t.debate)] == [(None, "")] * 3
        rows = vote_rows(t.says("end").concluded().debate)
        assert rows[:2] == (
            VoteRow("approve", 1, 1, *approve),
            VoteRow("comment", 1, 1, *comment),
        )


def test_there_are_rows_until_the_end_and_then_if_anybody_chose() -> None:
    t = table().says("t1").says("t2").says("t3")
    assert len(vote_rows(t.debate)) == 4
    assert vote_rows(Table(t.events[:]).concluded().debate) == ()
    assert len(vote_rows(t.votes("ann", "approve").concluded().debate)) == 4


def test_votes_on_a_statement_name_its_seat_and_its_round() -> None:
    t = voted("comment", "comment").votes("ann", "agree", "u2").votes("bob", "real", "end")
    assert list(opinion_lines(t.debate)) == [], "they are hidden until the end"
    t.fails("end").concluded()
    assert list(opinion_lines(t.debate)) == ["b, round 2: 1 agree"]
