"""Who answers a person's challenge, how long it may be, and when it is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.debate import commands as c
from core.debate import events as e
from core.debate.commands.challenges import MAX_CHALLENGE
from core.debate.commands.decisions import decide
from core.debate.errors import Refused
from core.debate.script import TurnId
from core.debate.state import Debate
from tests.core.table import CRITICS, Table, finding, fold, table

SECURITY, PERFORMANCE, MAINTAINABILITY = CRITICS


def opened() -> Table:
    """All have opened; security speaks of pools and queries, performance of queries and rows."""
    t = table()
    t.says("t1", "approve", text="The pool is open.", findings=[finding("Queries are built")])
    t.says("t2", "approve", text="Nothing else.", claims=["queries hold rows"])
    return t.says("t3", "approve", text="Fine with me.")


def seats_of(debate: Debate, text: str, *to: str) -> tuple[str, ...]:
    raised, added = decide(debate, c.RaiseChallenge("ann", text, to))
    assert isinstance(raised, e.ChallengeRaised)
    assert isinstance(added, e.TurnsAdded)
    assert [turn.seat for turn in added.turns] == [*raised.to]
    return raised.to


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("And the rows?", (PERFORMANCE,)),
        ("What of the pool?", (SECURITY,)),
        ("Those queries?", (SECURITY, PERFORMANCE)),
        ("Those queries and rows?", (PERFORMANCE,)),
        ("A big no.", (SECURITY,)),
        ("P2, why?", (PERFORMANCE,)),
        ("The maintainability critic is wrong about the pool.", (MAINTAINABILITY,)),
        ("P3, P1 and P2, why?", (SECURITY, PERFORMANCE)),
        ("P22, rows?", (PERFORMANCE,)),
    ],
)
def test_those_answer_that_are_named_or_spoke_most_of_it(text: str, seats: tuple[str, ...]) -> None:
    assert seats_of(opened().debate, text) == seats


def test_a_challenge_can_be_put_to_any_seats_by_any_of_their_names() -> None:
    debate = opened().debate
    assert seats_of(debate, "Why?", "p3", "P1", "Security critic") == (MAINTAINABILITY, SECURITY)
    with pytest.raises(Refused, match="no seat called nobody, P9"):
        seats_of(debate, "Why?", "nobody", "P1", "P9")


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("@reviewer why?", ("reviewer",)),
        ("reviewer_2 is wrong.", ("reviewer_2",)),
        ("Reviewer 2 is wrong.", ("reviewer_2",)),
        ("Reviewer 2 contradicts the reviewer.", ("reviewer", "reviewer_2")),
    ],
)
def test_seats_of_one_role_are_told_apart(text: str, seats: tuple[str, ...]) -> None:
    t = table(("reviewer", "reviewer_2", "chair:chair"))
    opened = t.events[1]
    assert isinstance(opened, e.DebateOpened)
    one_role = tuple(
        replace(seat, role="reviewer") if seat.votes else seat for seat in opened.script.seats
    )
    script = replace(opened.script, seats=one_role, aliases=())
    t.events[1] = replace(opened, script=script)
    t.says("t1", "approve").says("t2", "approve")
    assert seats_of(t.debate, text) == seats
    assert seats_of(t.debate, text, *seats) == seats, "as a replay asks again"


def test_the_answer_comes_before_the_next_statement_which_reads_it() -> None:
    t = opened().add(e.TurnStarted(TurnId("u1")))
    raised, added = decide(t.debate, c.RaiseChallenge("ann", "What of the pool?"))
    assert isinstance(added, e.TurnsAdded)
    assert [turn.id for turn in added.turns] == ["x1.1"]
    assert added.turns[0].reads == ("t1", "t2", "t3")
    assert added.read_by == ("u2", "u3", "end")
    after = fold(t.debate, raised, added)
    assert [turn.id for turn in after.turns] == [
        "t1", "t2", "t3", "u1", "x1.1", "u2", "u3", "end",
    ]  # fmt: skip
    assert after.script.turn(TurnId("end")).reads[-1] == "x1.1"


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_challenge_has_words_and_not_too_many(blank: str) -> None:
    debate = opened().debate
    with pytest.raises(Refused, match="needs words"):
        decide(debate, c.RaiseChallenge("ann", blank))
    assert seats_of(debate, f" {'x' * MAX_CHALLENGE} ")
    with pytest.raises(Refused, match=f"may have {MAX_CHALLENGE} characters; this one has 2001"):
        decide(debate, c.RaiseChallenge("ann", "x" * (MAX_CHALLENGE + 1)))


def test_a_debate_has_twelve_challenges_and_each_message_is_one() -> None:
    t = opened()
    for n in range(12):
        command = c.RaiseChallenge("ann", f"Why {n}?", source=f"slack:{n}")
        t.add(*decide(t.debate, command))
        assert decide(t.debate, command) == ()
    assert [one.id for one in t.debate.challenges][-1] == "x12"
    with pytest.raises(Refused, match="already has 12 challenges"):
        decide(t.debate, c.RaiseChallenge("ann", "Why?"))


def test_nobody_is_challenged_before_the_opening_or_while_it_ends() -> None:
    with pytest.raises(Refused, match="has not opened yet"):
        decide(Table(opened().events[:1]).debate, c.RaiseChallenge("ann", "Why?"))
    with pytest.raises(Refused, match="as soon as its verdict is there"):
        decide(opened().stops(e.EndReason.CONVERGED).debate, c.RaiseChallenge("ann", "Why?"))
