"""A person's words as the statement of a seat, and the rules for who may speak when."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.debate import commands as c
from core.debate.commands.decisions import decide
from core.debate.commands.holders import statement_in, turns_due
from core.debate.commands.plain import statement_of
from core.debate.due import due, wake_time
from core.debate.errors import Refused
from core.debate.events import (
    DebateOpened,
    DebatePaused,
    Holder,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from core.debate.finding import Severity
from core.debate.material import Hunk, Line, Material, MaterialKind
from core.debate.replies import Position
from core.debate.replies.objects import Unreadable
from core.debate.script import About, SeatId, Topic, Turn, TurnId
from core.debate.state import Debate, replay
from core.words.views.course.due_turns import due_lines
from tests.core.memory import opening
from tests.core.table import finding, table

ANN = "slack:T1/U1"
UNTIL = datetime(2026, 11, 21, 21, 0, tzinfo=UTC)
CHANGE = Material(
    MaterialKind.PULL_REQUEST,
    "Retry",
    "…",
    hunks=(
        Hunk("shop/pay.py", "@@", (Line("+", "    retry(3)", new=12), Line("-", "go()", old=9))),
    ),
)


def held(template: str = "design_doc", seat: str = "author") -> Debate:
    """Returns a debate in which one seat is Ann's and its opening is due."""
    request, opened = opening(template)
    assert isinstance(opened, DebateOpened)
    terms = replace(opened.terms, held={SeatId(seat): Holder(ANN)})
    opened = replace(opened, terms=terms, material=CHANGE)
    debate = replay([request, opened])
    starts = (replace(x, until=UNTIL) for x in due(debate) if isinstance(x, TurnStarted))
    own = [x for x in starts if debate.script.turn(x.turn).seat == seat]
    return replay([request, opened, *own])


def lines_for(debate: Debate, turn: Turn, *, name: str = "", files: bool = False) -> list[str]:
    """Returns how the debate asks for a turn, of a seat with this holder, in a shell with files."""
    assert debate.opened is not None
    held = {turn.seat: Holder(ANN, name)}
    opened = replace(debate.opened, terms=replace(debate.opened.terms, held=held))
    request = replace(debate.request, files=files)
    return due_lines(replace(debate, opened=opened, request=request), turn)


def test_the_holder_of_a_seat_reads_how_to_answer_and_until_when() -> None:
    waits = "Without an answer within 10 minutes the seat is silent."
    debate = held()
    turn = turn_of(debate)
    options = "accept, accept_with_changes, rework, reject"
    choose = f"Begin with the option that you hold ({options}), then say why."
    first = ["Round 1 of 6: Presentation.", choose]
    finds = "A line that begins with FILE:LINE is a finding."
    here = "Answer with the button, or with a reply here that begins with “say:”."
    in_shell = "Type it on one line and press Enter."
    assert lines_for(debate, turn) == [*first, finds, f"{here} {waits}"]
    assert lines_for(debate, turn, files=True) == [*first, finds, f"{in_shell} {waits}"]
    assert lines_for(debate, turn, name="ci") == [f"It answers through the API. {waits}"]
    question = replace(debate, opened=replace(debate.open, material=replace(CHANGE, hunks=())))
    assert lines_for(question, turn) == [*first, f"{here} {waits}"]
    about = replace(turn, about=About(Topic.ARGUMENT, "Rebuttal"))
    assert lines_for(debate, about)[0] == f"{first[0]} A Rebuttal is due."
    raised = next(x for x in decide(debate, c.RaiseChallenge("bob", "And the cost?")))
    doubted = replay([debate.requested, debate.open, raised])
    for topic, words in ((Topic.CHALLENGE, " Answer “And the cost?”."), (Topic.SEAT, "")):
        assert lines_for(doubted, replace(turn, about=About(topic, "x1")))[0] == first[0] + words


def test_the_holder_of_a_seat_decides_on_numbered_points() -> None:
    weighs = "w1 b round=1 reads=t1 task=weigh about=finding:t1.f1 closing"
    t = table(("a", "b"), ("t1 a independent", weighs))
    debate = t.says("t1", "comment", findings=[finding()]).debate
    numbered = lines_for(debate, debate.script.turn(TurnId("w1")))[-3:-1]
    assert numbered == [
        "On a line each: NUMBER, then must fix, need not block or not real, and why.",
        "1. High: The query is built from user input",
    ]


def turn_of(debate: Debate) -> Turn:
    (turn,) = turns_due(debate, ANN)
    return turn


def test_the_debate_is_looked_at_when_the_first_of_two_holders_is_late() -> None:
    request, opened = opening("code_review")
    assert isinstance(opened, DebateOpened)
    debate = replay([request, opened])
    first, second, *others = (x for x in due(debate) if isinstance(x, TurnStarted))
    late = replace(first, until=UNTIL + timedelta(minutes=5)), replace(second, until=UNTIL)
    failed = (TurnFailed(x.turn, "no answer") for x in others)
    assert wake_time(replay([request, opened, *late, *others, *failed])) == UNTIL


def test_the_debate_rests_until_the_holder_speaks_or_the_time_is_over() -> None:
    debate = held()
    assert debate.rests
    assert wake_time(debate) == UNTIL
    (spoken,) = decide(debate, c.Speak(ANN, "", "reject: the cost is not known"))
    assert isinstance(spoken, TurnFinished)
    assert (spoken.model, spoken.usage.usd) == ("", 0.0)
    assert decide(debate, c.Wake(UNTIL - timedelta(seconds=1))) == ()
    (late,) = decide(debate, c.Wake(UNTIL))
    assert late == TurnFailed(turn_of(debate).id, "not within 10 minutes")
    after = replay([debate.requested, debate.open, TurnStarted(late.turn, UNTIL), late])
    assert after.failed
    assert not after.rests


@pytest.mark.parametrize(
    ("by", "turn", "why"),
    [
        ("slack:T1/U2", "", "You hold no seat in this debate."),
        (ANN, "t99", "It is not your turn now"),
        (ANN, "", "Begin with the option that you hold: accept, accept_with_changes"),
    ],
)
def test_who_may_not_speak_now_and_what_is_missing_is_refused_with_the_reason(
    by: str, turn: str, why: str
) -> None:
    with pytest.raises(Refused, match=why):
        decide(held(), c.Speak(by, turn, "Hm, I am not sure."))


@pytest.mark.parametrize(
    ("text", "option", "confidence", "because"),
    [
        ("reject: too dear", "reject", 1.0, "too dear"),
        ("Reject\nIt is too dear.", "reject", 1.0, "It is too dear."),
        ("accept with changes 80%. Name the owner.", "accept_with_changes", 0.8, "Name the owner."),
        ("❌ too dear", "reject", 1.0, "too dear"),
        ("I reject it", "", 0.0, ""),
        ("❌\ntoo dear", "reject", 1.0, "too dear"),
        (":x: - too dear", "reject", 1.0, "too dear"),
        ("**rework** 55 % - later", "rework", 0.55, "later"),
        ("reject", "reject", 1.0, "reject"),
    ],
)
def test_the_first_words_are_the_option(
    text: str, option: str, confidence: float, because: str
) -> None:
    debate = held()
    if not option:
        with pytest.raises(Unreadable, match="Begin with the option"):
            statement_in(debate, turn_of(debate), text)
        return
    stance = statement_in(debate, turn_of(debate), text).stance
    assert stance is not None
    assert (stance.option, stance.confidence, stance.because) == (option, confidence, because)


def test_a_line_that_begins_with_a_place_is_a_finding_with_the_line_that_stands_there() -> None:
    debate = held()
    text = "reject: it loses money\n- pay.py:12 charges twice (critical)\nshop/pay.py:99: no test"
    first, second = statement_in(debate, turn_of(debate), text).findings
    assert (first.path, first.line, first.quote, first.anchored) == (
        "shop/pay.py", 12, "    retry(3)", True,
    )  # fmt: skip
    assert (first.title, first.severity, first.must_fix) == (
        "charges twice (critical)", Severity.CRITICAL, True,
    )  # fmt: skip
    assert (second.path, second.line, second.anchored) == ("shop/pay.py", 99, False)


def test_a_program_answers_in_the_form_of_models_and_is_told_what_is_wrong() -> None:
    debate = held()
    reply = '{"text": "No.", "stance": {"option": "reject", "confidence": 0.6, "because": "cost"}}'
    assert statement_in(debate, turn_of(debate), reply).stance is not None
    with pytest.raises(Refused, match="stance"):
        decide(debate, c.Speak(ANN, "", '{"text": "No."}'))


def test_while_a_debate_is_paused_nothing_is_waited_for() -> None:
    debate = held()
    paused = replay(
        [debate.requested, debate.open, TurnStarted(turn_of(debate).id, UNTIL), DebatePaused("ann")]
    )
    assert wake_time(paused) is None


def test_positions_on_single_findings_are_read_by_number_or_for_all() -> None:
    points = ("t1.f1", "t2.f1")
    turn = Turn(TurnId("w1"), SeatId("a"), "weigh")
    text = "reject: see below\n1 must fix: it leaks\n2. not real - the caller checks it"
    answers = statement_of(held(), turn, text, points).answers
    assert [(a.to, a.position, a.because) for a in answers] == [
        ("t1.f1", Position.MUST_FIX, "it leaks"),
        ("t2.f1", Position.NOT_REAL, "the caller checks it"),
    ]
    both = statement_of(held(), turn, "reject: no\nneed not block", points).answers
    assert [a.position for a in both] == [Position.NEED_NOT, Position.NEED_NOT]
    with pytest.raises(Unreadable, match="1 must fix: WHY"):
        statement_of(held(), turn, "reject: no", points)
