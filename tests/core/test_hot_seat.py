"""A seat answers those who disagree with its statement, where the starter or two people want it."""

from __future__ import annotations

import pytest

from core.debate import commands as c
from core.debate import events as e
from core.debate.commands.decisions import decide
from core.debate.commands.hot_seat import ask_seat
from core.debate.due import due
from core.debate.errors import Refused
from core.debate.prompting import prompt
from core.debate.replies import Answer, Claim, Position
from core.debate.script import About, SeatId, Topic
from core.debate.state import Debate
from core.words.outcome import outcome
from core.words.views.course.hot_seat import seat_lines
from tests.core.table import CRITICS, Table, agree, dispute, finding, fold, table, withdraw
from tests.core.words.outcome.test_outcome import CHECK

SECURITY, PERFORMANCE, UPKEEP = map(SeatId, CRITICS)
ANN = "shell:ann"  # who started it


def opened() -> Table:
    """Returns a debate in which one seat holds a finding and blocks, one disputes it, and one has
    not seen it.
    """
    return (
        table()
        .says("t1", "request_changes", findings=[finding()])
        .says("t2", "approve", claims=["It is cached"])
        .says("t3", "comment")
    )


def ask_seat_by(debate: Debate, by: str, subject: str = "t1.f1", *, own: bool = False) -> Debate:
    return fold(debate, *decide(debate, c.AskSeat(by, subject, own)))


def seated(debate: Debate) -> list[tuple[str, str]]:
    return [(t.seat, t.task) for t in debate.turns if t.about_the(Topic.HOT_SEAT)]


def test_seats_that_hold_a_finding_do_not_question_it() -> None:
    t = table().says("t1", "request_changes", findings=[finding()])
    t.says("t2", "comment", answers=[agree("t1.f1")])
    unreal = Answer("t1.f1", Position.NOT_REAL, "no caller", checked=True)
    debate = ask_seat_by(t.says("t3", "approve", answers=[unreal]).debate, ANN)
    assert seated(debate) == [(UPKEEP, "cross"), (SECURITY, "stand")]


def test_the_starter_asks_alone_and_of_others_it_takes_two() -> None:
    debate = opened().debate
    assert seated(ask_seat_by(debate, ANN)) == [
        (PERFORMANCE, "cross"),
        (UPKEEP, "cross"),
        (SECURITY, "stand"),
    ]
    once = ask_seat_by(debate, "bob")
    assert seated(once) == []
    assert decide(once, c.AskSeat("bob", "t1.f1")) == (), "one person is one, however often"
    assert seated(ask_seat_by(once, "cat", "t1")) == [], "another wish"
    twice = ask_seat_by(once, "cat")
    assert seated(twice) == seated(ask_seat_by(debate, ANN))
    assert decide(twice, c.AskSeat("dan", "t1.f1")) == (), "it is in the hot seat already"
    assert [(x.id, x.by, x.seat) for x in twice.seat_requests] == [
        ("q1", "bob", SECURITY),
        ("q1", "cat", SECURITY),
    ]


@pytest.mark.parametrize("name", ["security critic", "@security_critic", "the Security Critic"])
def test_a_seat_is_named_and_answers_for_what_it_said_last(name: str) -> None:
    debate = ask_seat_by(opened().debate, ANN, name)
    assert seated(debate)[-1] == (SECURITY, "stand")
    assert [x.subject for x in debate.seat_requests] == ["t1"]
    with pytest.raises(Refused, match="neither a finding nor a seat called 'nobody'"):
        ask_seat_by(debate, ANN, "nobody")


def test_questions_come_at_once_then_the_answer_and_all_who_follow_read_it() -> None:
    debate = ask_seat_by(opened().debate, ANN)
    first = {x.turn for x in due(debate)}
    assert first >= {"q1.1", "q1.2"}
    assert not first & {"q1.3", "u1", "end"}
    answer = debate.script.turn(debate.turns[5].id)
    assert (answer.id, answer.about) == ("q1.3", About(Topic.HOT_SEAT, "t1.f1"))
    assert {"q1.1", "q1.2", "t1"} <= set(answer.reads)
    assert all("q1.3" in debate.script.turn(t.id).reads for t in debate.turns[6:])


def test_prompts_quote_what_is_to_be_defended_and_its_questions() -> None:
    held = opened().add(*ask_seat(opened().debate, c.AskSeat(ANN, "t1.f1")))
    question = next(t for t in held.debate.turns if t.task == "cross")
    text = prompt(held.debate, question)[-1].text + prompt(held.debate, question)[-2].text
    assert "The query is built from user input" in text
    held.says("q1.1", claims=[Claim("", "Who calls it?", "built from user input")])
    held.says("q1.2", claims=["Is it reachable?"])
    answer = next(t for t in held.debate.turns if t.task == "stand")
    read = "\n".join(m.text for m in prompt(held.debate, answer))
    assert "q1.1.c1 Who calls it?" in read
    assert "q1.2.c1 Is it reachable?" in read
    assert outcome(held.debate)["hot_seats"] == [{
        "id": "q1", "subject": "t1.f1", "seat": SECURITY, "people": [ANN],
        "asked_by": ["q1.1", "q1.2"], "answered_by": "", "state": "open",
    }]  # fmt: skip
    held.says("q1.3", "approve", answers=[withdraw("t1.f1")])
    held.says("u1", "approve").says("u2", "approve").says("u3", "approve")
    document = outcome(held.skips("end").concluded().debate)
    CHECK.validate(document)
    assert [f["state"] for f in document["findings"]] == ["withdrawn"], "what it answers counts"
    assert [one["seat"] for one in document["hot_seats"]] == [SECURITY]
    assert document["hot_seats"][0]["answered_by"] == "q1.3"
    assert document["hot_seats"][0]["state"] == "answered"


def test_who_disputed_it_asks_first_and_a_statement_is_asked_about_by_those_apart() -> None:
    debate = opened().says("u2", "approve", answers=[dispute("t1.f1")]).debate
    assert seated(ask_seat_by(debate, ANN))[0] == (PERFORMANCE, "cross")
    apart = seated(ask_seat_by(opened().debate, ANN, "t3"))
    assert apart == [(SECURITY, "cross"), (PERFORMANCE, "cross"), (UPKEEP, "stand")]


@pytest.mark.parametrize(
    ("debate", "subject", "why"),
    [
        (opened().debate, "t9.f1", "neither a finding nor a seat called 't9.f1'"),
        (opened().debate, "u1", "neither a finding nor a seat called 'u1'"),
        (table().debate, "t1", "neither a finding nor a seat called 't1'"),
        (
            table().says("t1", "approve").says("t2", "approve").says("t3", "approve").debate,
            "t1",
            "Nobody at the table disagrees",
        ),
        (opened().stops(e.EndReason.HUMAN).debate, "t1.f1", "No questions are put after the end"),
    ],
)
def test_what_is_refused(debate: Debate, subject: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        decide(debate, c.AskSeat(ANN, subject))


def test_a_debate_has_four_at_most() -> None:
    held = opened()
    for subject in ("t1", "t2", "t3", "t1.f1"):
        held.add(*decide(held.debate, c.AskSeat(ANN, subject)))
    assert len(seated(held.debate)) == 12
    held.says("u1", "request_changes")
    with pytest.raises(Refused, match="had its 4 hot seats"):
        decide(held.debate, c.AskSeat(ANN, "u1"))


def test_the_report_says_how_far_each_hot_seat_came() -> None:
    once = Table([*opened().events]).add(*ask_seat(opened().debate, c.AskSeat("bob", "t1")))
    assert seat_lines(once.debate) == [
        "The security critic on its statement, wanted by bob: too few wanted it"
    ]
    held = opened().add(*ask_seat(opened().debate, c.AskSeat(ANN, "t1.f1")))
    start = "The security critic on “The query is built from user input”, wanted by ann: "
    assert seat_lines(held.debate) == [f"{start}no answer"]
    held.says("q1.1", claims=["Who calls it?"]).fails("q1.2")
    assert seat_lines(held.debate) == [f"{start}asked by the performance critic; no answer"]
    held.says("q1.3", "approve", text="Nobody does.")
    assert seat_lines(held.debate) == [f"{start}asked by the performance critic; Nobody does."]
