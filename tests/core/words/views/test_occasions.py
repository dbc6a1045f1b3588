"""The words above a statement: its round, its order, whose labels it uses, what it answers; and why
a report has no scores.
"""

from __future__ import annotations

from typing import Any

import pytest

from core.debate.replies import Statement
from core.debate.script import TurnId
from core.words.views.course.happenings import occasion, setting
from core.words.views.verdict.scores import why_unscored
from tests.core.table import Table, finding, table

SEATS = ("security_critic", "author", "judge:judge", "chair:chair")
TURNS = (
    "t1 security_critic task=open",
    "t2 author task=open",
    "p1 author task=read about=part:1",
    "u1 security_critic round=1",
    "x1 author round=1 task=explain about=challenge:x1",
    "h1 author round=1 task=cross about=hot_seat:t1",
    "h2 security_critic round=1 task=stand about=hot_seat:t1",
    "h3 security_critic round=1 task=stand about=hot_seat:t1.f1",
    "u2 author round=1",
    "j1 judge round=2 task=judge",
    "j2 judge round=2 task=judge about=swapped",
    "end chair round=2 task=close closing",
)
LABELS = "P1 is the security critic and P2 is the author"


def begun(*turns: str, **fields: Any) -> Table:
    t = table(SEATS, TURNS, **fields)
    for turn in turns:
        t.says(turn, findings=[finding()] if turn == "t1" else [])
    return t


@pytest.mark.parametrize(
    ("made", "turn", "text", "words"),
    [
        (begun(), "t1", "", "Round 1 of 3"),
        (begun(), "t2", "P1 and P2 differ", f"Round 1 of 3 · {LABELS}"),
        (begun("t1"), "t2", "as P1 said", "P1 is the security critic"),
        (begun("t1", "t2"), "u1", "P11 and xP2", "Round 2 of 3"),
        (begun("p1"), "t1", "", "Round 1 of 3"),
        (begun("t1", "t2", "x1"), "u1", "", "Round 2 of 3"),
        (begun("t1", "t2", "h1"), "u2", "", "Round 2 of 3"),
        (begun("t1", "t2"), "x1", "P2?", "P2 is the author"),
        (begun("t1", "t2", "u1"), "u2", "", ""),
        (begun("j1"), "j2", "", "the same case, heard in the other order"),
        (begun(blind=True), "t2", "P1 and P2 differ", "Round 1 of 3"),
    ],
)
def test_the_first_of_a_round_names_it_and_labels_are_explained(
    made: Table, turn: str, text: str, words: str
) -> None:
    at = made.debate.script.turn(TurnId(turn))
    assert setting(made.debate, at, Statement(text)) == words


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ("u1", ""),
        ("h1", "Hot seat: a question on the statement of the security critic"),
        ("h2", "Hot seat: the answer on the statement of the security critic"),
        ("h3", "Hot seat: the answer on “The query is built from user input”"),
    ],
)
def test_a_turn_of_the_hot_seat_names_what_it_is_about(turn: str, words: str) -> None:
    debate = begun("t1").debate
    assert occasion(debate, debate.script.turn(TurnId(turn))) == words


NO_JUDGE = "Not assessed: findings and votes decide a review, so it has no scores. With"
RISK = " The risk score is worked out from the open findings."
SILENT = "Not assessed: the seats that were to score it gave no score."


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (table(rubric={}), ""),
        (table(), f"{NO_JUDGE} `--consensus judge` a judge does.{RISK}"),
        (table(output_format="{summary}"), f"{NO_JUDGE} `--consensus judge` a judge does."),
        (table(findings=False), "Not assessed: no seat was due to score it."),
        (begun("t1"), "Not assessed: the debate ended before its scores were due."),
        (begun("j1"), SILENT),
        (begun().fails("j1"), SILENT),
        (begun().says("j1", scores={"consensus": 0.5}), ""),
    ],
)
def test_a_report_without_scores_says_why(made: Table, reason: str) -> None:
    assert why_unscored(made.debate) == reason
