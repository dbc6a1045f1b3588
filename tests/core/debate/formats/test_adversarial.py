"""Typed arguments: each of its turn's type, none out of sequence or twice in a row, measured by
what a judge really read.
"""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.templates.catalogue import find
from core.debate import events as e
from core.debate.due import due
from core.debate.due.guards import may_follow, why_skipped
from core.debate.formats import FORMATS, Plan
from core.debate.replies import Argument, ArgumentType, Metrics, Stance, Statement
from core.debate.replies.objects import Unreadable
from core.debate.replies.parsing import parse
from core.debate.replies.tasks import TASKS
from core.debate.script import About, SeatId, Topic, Turn, TurnId
from core.debate.state import Debate, begin, evolve
from core.debate.usage import Usage
from core.words.outcome import outcome
from core.words.outcome.report import report
from tests.core.memory import opening
from tests.core.table import fold

BALLOT = find("adversarial").ballot


def reply(type: str) -> str:
    stance = {"option": "accept", "confidence": 0.7}
    argument = {
        "type": type,
        "references": ["t1", "t99"],
        "evidence": ["a load test"],
        "impact_areas": ["cost"],
    }
    return json.dumps({"text": "so", "stance": stance, "argument": argument})


def read(type: str, about: str = "defense") -> Statement:
    turn = Turn(TurnId("t3"), SeatId("proposer"), "argue", about=About(Topic.ARGUMENT, about))
    return parse(reply(type), TASKS["argue"], turn, BALLOT, known=frozenset({"t1"}))


def test_an_argument_of_another_type_than_the_turns_is_refused() -> None:
    with pytest.raises(Unreadable, match="a defense is due now, and this calls itself a counter"):
        read("counter")
    assert read("defense").argument == Argument(
        ArgumentType.DEFENSE, ("t1",), ("a load test",), ("cost",)
    )
    assert read("").argument == Argument(
        ArgumentType.DEFENSE, ("t1",), ("a load test",), ("cost",)
    ), "its type is the turn's"


def begun() -> Debate:
    first, opened = opening("adversarial", plan=Plan(rounds=2, mode=find("adversarial").consensus))
    assert isinstance(first, e.DebateRequested)
    return evolve(begin(first), opened)


def walk(debate: Debate, failing: frozenset[str], agreement: float = 0.2) -> Debate:
    """Plays everything; the turns that fail are named, every other one says what it is there
    for.
    """
    while events := due(debate):
        debate = fold(debate, *events)
        for event in events:
            if isinstance(event, e.TurnStarted):
                debate = evolve(
                    debate, settled(debate, debate.script.turn(event.turn), failing, agreement)
                )
    return debate


def settled(
    debate: Debate, turn: Turn, failing: frozenset[str], agreement: float
) -> e.TurnFinished | e.TurnFailed:
    if turn.id in failing:
        return e.TurnFailed(turn.id, "down")
    statement = Statement("so")
    if turn.task == "argue":
        apart = agreement < 0.5 and turn.seat != debate.script.seats[0].id
        held = Stance("reject" if apart else "accept", 0.7)
        statement = Statement("so", held, argument=Argument(ArgumentType(str(turn.about))))
    elif turn.task == "measure":
        statement = Statement("so", metrics=Metrics(agreement, 0.5, 0.5, 0.5))
    return e.TurnFinished(turn.id, statement, Usage(), "m")


ARGUING = tuple(t.id for t in begun().turns if t.task == "argue")


@given(st.frozensets(st.sampled_from(ARGUING)))
def test_what_was_said_keeps_the_sequence_whatever_failed(failing: frozenset[str]) -> None:
    end = walk(begun(), failing)
    assert all(t.id in end.settled for t in end.turns)
    arguments: list[tuple[ArgumentType, SeatId]] = []
    for turn in end.turns:
        statement = end.finished.get(turn.id)
        if statement is not None and statement.argument is not None:
            assert may_follow(arguments, statement.argument.type, turn.seat)
            arguments.append((statement.argument.type, turn.seat))
    for turn in end.turns:
        if turn.task == "argue" and turn.id in end.skipped:
            assert end.skipped[turn.id] == "in_sequence"


@pytest.mark.parametrize(
    ("failing", "spoken"),
    [
        ((), "proposal challenge defense counter resolution challenge defense counter resolution"),
        (("t1",), ""),
        (("t2",), "proposal challenge defense counter resolution"),
        (("t3",), "proposal challenge defense counter resolution"),
        (("t4",), "proposal challenge defense counter resolution"),
        (("t5",), "proposal challenge defense counter resolution"),
    ],
)
def test_after_a_failed_argument_the_next_round_goes_on_from_what_stands(
    failing: tuple[str, ...], spoken: str
) -> None:
    end = walk(begun(), frozenset(failing))
    arguments = [
        s.argument
        for t in end.turns
        if (s := end.finished.get(t.id)) is not None and s.argument is not None
    ]
    assert " ".join(a.type for a in arguments) == spoken


def test_a_round_without_an_argument_is_not_measured() -> None:
    end = walk(begun(), frozenset({"t1"}))
    measures = [t.id for t in end.turns if t.task == "measure"]
    assert {end.skipped[t] for t in measures} == {"argued"}
    assert why_skipped("argued") == "nothing was argued in this round"
    assert why_skipped("converged") == "converged"


@pytest.mark.parametrize("seed", range(3))
def test_the_script_of_every_draw_keeps_the_sequence(seed: int) -> None:
    script = FORMATS["adversarial"].compile(find("adversarial"), Plan(rounds=3), Random(seed))
    arguments: list[tuple[ArgumentType, SeatId]] = []
    for turn in script:
        if turn.task == "argue":
            assert may_follow(arguments, ArgumentType(str(turn.about)), turn.seat)
            arguments.append((ArgumentType(str(turn.about)), turn.seat))


def test_the_outcome_shows_arguments_with_their_references_evidence_and_confidence() -> None:
    end = walk(begun(), frozenset())
    first = outcome(end)["rounds"][0]["turns"][0]
    assert first["argument"] == {
        "type": "proposal",
        "references": [],
        "evidence": [],
        "confidence": 0.7,
        "impact_areas": [],
    }
    judge = [t for r in outcome(end)["rounds"] for t in r["turns"] if t["task"] == "measure"]
    assert all(t["argument"] is None for t in judge)
    assert [m["agreement"] for m in outcome(end)["metrics"]["judge"]] == [0.2, 0.2], (
        "what the judge read, never a constant"
    )


def test_the_report_shows_what_the_judge_read_and_how_it_ended() -> None:
    assert (
        "### Scores\n\nNot assessed: the seats that were to score it gave no score.\n\n"
        "Deadlocked.\n\n"
        "| Round | Agreement | Resolution | Evidence | Feasibility | Risks |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| Round 1 | 0.20 | 0.50 | 0.50 | 0.50 |  |\n"
        "| Round 2 | 0.20 | 0.50 | 0.50 | 0.50 |  |"
    ) in report(walk(begun(), frozenset()))
    early = "### Scores\n\nNot assessed: the debate ended before its scores were due."
    assert early in report(begun())
