"""Sections of a report that few debates have."""

from __future__ import annotations

import pytest

from core.debate.events import Fork
from core.debate.material import CodeFinding, Material, MaterialKind
from core.debate.replies import Claim
from core.words.outcome import outcome
from core.words.outcome.report import report
from core.words.outcome.sections import evidence, fork_comparison, who_was_who
from tests.core.table import Table, table

SEATS = ("security_critic", "author")
TURNS = (
    "t1 security_critic independent task=open",
    "t2 author independent task=open",
    "q1 author round=1 reads=t1,t2 task=question about=seat:security_critic",
    "a1 security_critic round=2 reads=q1 task=stand closing",
)
BARE = "- author: the question quotes nothing of the opening that it asks about"


def questioned(text: str, *claims: Claim) -> Table:
    t = table(SEATS, TURNS)
    t.says("t1", "comment", text="The query is built from user input").says("t2", "comment")
    return t.says("q1", text=text, claims=claims).says("a1", "comment")


@pytest.mark.parametrize(
    ("asking", "line"),
    [
        (questioned("Why so?"), BARE),
        (questioned("Why “built from user input”?"), ""),
        (questioned("Why?", Claim("", "It is not", "from user input")), ""),
    ],
)
def test_a_question_that_quotes_nothing_is_named_and_no_other_turn(
    asking: Table, line: str
) -> None:
    assert BARE not in evidence(table(SEATS, TURNS).says("t1", "comment").debate)
    assert (BARE in evidence(asking.debate)) is bool(line)


@pytest.mark.parametrize("title", ["A secret is added (aws)", ""])
def test_a_summary_that_nobody_wrote_lists_what_code_found(title: str) -> None:
    proven = [CodeFinding("app/db.py", 12, "RIGHT", "high", title)] if title else []
    material = Material(MaterialKind.DIFF, "d", "…", proven=tuple(proven))
    t = table(material=material, output_format="{summary}")
    text = report(t.says("t1", "comment").skips("end", reason="left_to_code").concluded().debate)
    assert ("Found by code, whatever models say:" in text) is bool(title)


def test_a_fork_stands_beside_its_parent() -> None:
    parent = table().says("t1", "comment").fails("t2").fails("t3").concluded()
    fork = table(fork=Fork("debate-0000", 5))
    for turn in ("t1", "t2", "t3"):
        fork.says(turn, "comment")
    fork.concluded()
    compared = fork_comparison(fork.debate, outcome(parent.debate))
    assert compared.splitlines()[2:] == [
        "| | debate-0000 | debate-0001 |",
        "| --- | --- | --- |",
        "| Decision | Comments only | Comments only |",
        "| Agreement | 33% | 100% |",
        "| Reached | yes | yes |",
    ]
    assert fork_comparison(parent.debate, outcome(fork.debate)) == ""


def test_who_sat_behind_a_label_is_told_at_the_end_if_models_were_hidden() -> None:
    known = table(SEATS, TURNS).concluded()
    hidden = table(SEATS, TURNS, blind=True).says("t1", "comment")
    assert [who_was_who(t.debate) for t in (known, hidden)] == ["", ""]
    assert who_was_who(hidden.concluded().debate).splitlines() == [
        "| Label | Seat | Model |",
        "| --- | --- | --- |",
        "| participant 1 | security critic | openai/gpt-5 |",
        "| participant 2 | author | anthropic/claude-sonnet |",
    ]


def test_a_fork_of_what_came_to_no_verdict_is_compared_with_nothing() -> None:
    fork = table(fork=Fork("debate-0000", 5)).says("t1", "comment").concluded().debate
    alone = fork_comparison(fork, None)
    assert alone
    assert "\n" not in alone
    assert fork_comparison(fork, {"verdict": None}) == alone
