"""The state of a point: every transition of the table, and the states of findings in a debate."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.replies import Answer, Position
from core.debate.verdict.findings.states import (
    OPEN,
    TRANSITIONS,
    Act,
    PointState,
    after,
    point_states,
)
from tests.core.table import CRITICS, Table, agree, dispute, finding, table, withdraw

R, D, C, W, S = PointState
TABLE = """
            raise   support oppose  yield   drop    settle
raised      R       R       D       C       W       S
disputed    D       D       D       C       W       S
conceded    C       C       C       C       W       S
withdrawn   R       W       W       W       W       S
settled     S       S       S       S       S       S
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
CASES = [
    (PointState(row[0]), Act(act), {"R": R, "D": D, "C": C, "W": W, "S": S}[cell])
    for row in ROWS[1:]
    for act, cell in zip(ROWS[0], row[1:], strict=True)
]


@pytest.mark.parametrize(("state", "act", "then"), CASES)
def test_each_transition(state: PointState, act: Act, then: PointState) -> None:
    assert TRANSITIONS[state][act] is then


def test_the_table_is_whole() -> None:
    assert {(s, a) for s, a, _ in CASES} == set(product(PointState, Act))


@given(st.lists(st.sampled_from(Act)))
def test_what_was_conceded_or_taken_back_does_not_come_back_as_open(acts: list[Act]) -> None:
    closed = False
    for n in range(len(acts)):
        state = after(acts[: n + 1])
        if closed and acts[n] is not Act.RAISE:
            assert state not in OPEN
        closed = state not in OPEN


def concede(to: str) -> Answer:
    return Answer(to, Position.CONCEDE, "right")


def seated() -> Table:
    """Returns a debate whose first critic raised one finding; the author has no vote."""
    t = table((*CRITICS, "author:author"), [
        *(f"t{n} {c} independent task=open" for n, c in enumerate(CRITICS, 1)),
        "a1 author round=1 reads=t1,t2,t3",
        *(f"u{n} {c} round=2 reads=t1,t2,t3,a1" for n, c in enumerate(CRITICS, 1)),
        "end author round=3 closing",
    ])  # fmt: skip
    return t.says("t1", "request_changes", findings=[finding()]).says("t2", "approve")


@pytest.mark.parametrize(
    ("answers", "state"),
    [
        ([], PointState.RAISED),
        ([("u2", agree)], PointState.RAISED),
        ([("u2", dispute)], PointState.DISPUTED),
        ([("a1", dispute)], PointState.DISPUTED),
        ([("a1", concede)], PointState.CONCEDED),
        ([("a1", concede), ("u2", dispute)], PointState.CONCEDED),
        ([("a1", dispute), ("u1", withdraw)], PointState.WITHDRAWN),
        ([("a1", dispute), ("u1", withdraw), ("u2", dispute)], PointState.WITHDRAWN),
        ([("u1", withdraw), ("u2", agree)], PointState.RAISED),
    ],
)
def test_the_state_of_a_finding_follows_from_what_was_said(
    answers: list[tuple[str, object]], state: PointState
) -> None:
    t = seated()
    for turn, answer in answers:
        t.says(turn, answers=[answer("t1.f1")])  # type: ignore[operator]
    assert point_states(t.debate)["t1.f1"] is state


def test_what_people_decide_is_settled() -> None:
    t = seated().votes("ann", "not_real", "t1.f1").votes("bob", "not_real", "t1.f1")
    assert point_states(t.debate)["t1.f1"] is PointState.SETTLED
