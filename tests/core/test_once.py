"""A cached answer about a debate equals the answer that is computed anew, after any event."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from core.debate import events as e
from core.debate.replies import Answer, Position
from core.debate.state import Debate, begin, evolve, once_for, replay
from core.debate.verdict.findings import merge_findings
from tests.core.table import CRITICS, START, Table, finding, table

Step = Callable[[Table], object]

FOUND = ("t1.f1", "t2.f1", "t3.f1", "u1.f1")
says = st.builds(
    lambda turn, title, line, to, position: (
        lambda t: t.says(
            turn, "comment", findings=[finding(title, line=line)], answers=[Answer(to, position)]
        )
    ),
    st.sampled_from(("t1", "t2", "t3", "u1", "u2", "u3")),
    st.sampled_from(("Token compared with ==", "Token compared with equals", "Query is built")),
    st.integers(10, 14),
    st.sampled_from(FOUND),
    st.sampled_from((Position.AGREE, Position.DISPUTE, Position.WITHDRAW)),
)
votes = st.builds(
    lambda voter, option, subject: lambda t: t.votes(voter, option, subject),
    st.sampled_from(("ann", "bob", "cy")),
    st.sampled_from(("real", "not_real", "worse", "milder")),
    st.sampled_from(FOUND),
)
others = st.sampled_from(
    (
        lambda t: t.fails("u2"),
        lambda t: t.skips("u3"),
        lambda t: t.challenges("Why?"),
        lambda t: t.add(e.VoteWithdrawn("ann", "", "t1.f1")),
        lambda t: t.add(e.WholeShown("ann")),
        lambda t: t.add(e.DebatePaused("ann")),
        lambda t: t.add(e.DebateResumed("ann")),
        lambda t: t.add(e.RoundMeasured(0, "words", 0.5)),
        lambda t: t.add(e.DebateConcluded(e.EndReason.COMPLETED, "comment", True, START)),
    )
)


@given(st.lists(st.one_of(says, says, votes, others), max_size=14))
def test_what_stands_is_what_would_be_worked_out_anew(steps: list[Step]) -> None:
    t = table(CRITICS)
    for step in steps:
        step(t)

    def with_event(debate: Debate, event: e.Event) -> Debate:
        merge_findings(debate)
        return evolve(debate, event)

    opened = evolve(begin(_request(t.events)), t.events[1])
    debate = reduce(with_event, t.events[2:], opened)
    assert merge_findings(debate) == merge_findings(replay(t.events))


def _request(events: list[e.Event]) -> e.DebateRequested:
    first = events[0]
    assert isinstance(first, e.DebateRequested)
    return first


def test_it_is_worked_out_again_only_when_what_it_looks_at_changes() -> None:
    calls: list[int] = []

    @once_for("votes")
    def voters(debate: Debate) -> tuple[str, ...]:
        calls.append(debate.count)
        return tuple(voter for _, voter in debate.votes)

    t = table(CRITICS).votes("ann", "approve")
    debate = t.debate
    assert voters(debate) == voters(debate) == ("ann",)
    debate = evolve(debate, e.ChallengeRaised("ch1", "ann", "Why?", ()))
    assert voters(debate) == ("ann",)
    assert len(calls) == 1
    debate = evolve(debate, e.VoteCast("bob", "approve"))
    assert voters(debate) == ("ann", "bob")
    assert len(calls) == 2


def test_the_questions_are_told_apart_by_what_they_are_asked_with() -> None:
    @once_for("votes")
    def of(debate: Debate, option: str) -> int:
        return sum(vote.option == option for vote in debate.votes.values())

    debate = evolve(table(CRITICS).votes("ann", "approve").debate, e.WholeShown("ann"))
    assert (of(debate, "approve"), of(debate, "comment")) == (1, 0)
