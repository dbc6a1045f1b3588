"""The state of a point follows from what seats, code and people say of it."""

from __future__ import annotations

import pytest

from core.debate.prompting import prompt
from core.debate.replies import Answer, Position
from core.debate.script import TurnId
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.states import PointState, point_states
from tests.core.table import CRITICS, Table, agree, dispute, finding, table, withdraw


def concede(to: str) -> Answer:
    return Answer(to, Position.CONCEDE, "right")


def unreal(to: str) -> Answer:
    """Returns an answer that shows no line, so it changes no seat's mind."""
    return Answer(to, Position.NOT_REAL, "no")


def seated() -> Table:
    """Returns a debate whose first critic raised one finding; the author has no vote."""
    t = table((*CRITICS, "author:author"), [
        *(f"t{n} {c} independent task=open" for n, c in enumerate(CRITICS, 1)),
        "a1 author round=1 reads=t1,t2,t3",
        *(f"u{n} {c} round=2 reads=t1,t2,t3,a1" for n, c in enumerate(CRITICS, 1)),
        "end author round=3 reads=t1,t2,t3,a1,u1,u2,u3 closing",
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
        ([("u1", withdraw), ("u2", agree), ("u3", dispute)], PointState.DISPUTED),
        ([("u1", withdraw), ("a1", concede)], PointState.WITHDRAWN),
        ([("u2", dispute), ("u2", agree)], PointState.RAISED),
        ([("u1", agree), ("u2", agree), ("u3", withdraw)], PointState.DISPUTED),
        ([("a1", concede), ("u1", withdraw)], PointState.WITHDRAWN),
        ([("t2", dispute), ("u2", agree)], PointState.CONCEDED),
        ([("t2", dispute), ("t3", dispute), ("u2", agree)], PointState.DISPUTED),
        ([("t2", dispute), ("u2", agree), ("u3", dispute)], PointState.CONCEDED),
        ([("u1", unreal)], PointState.RAISED),
        ([("u2", unreal)], PointState.DISPUTED),
    ],
)
def test_the_state_of_a_finding_follows_from_what_was_said(
    answers: list[tuple[str, object]], state: PointState
) -> None:
    t = seated()
    for turn, answer in answers:
        t.says(turn, answers=[answer("t1.f1")])  # type: ignore[operator]
    assert point_states(t.debate)["t1.f1"] is state
    closing = "\n".join(m.text for m in prompt(t.debate, t.debate.script.turn(TurnId("end"))))
    assert ("Still open: t1.f1\n" in closing) is (state is PointState.DISPUTED)
    (one,) = merge_findings(t.debate)
    assert ("Settle first what seats differ on: t1.f1\n" in closing) is one.contested


def test_what_people_decide_is_settled() -> None:
    t = seated().votes("ann", "not_real", "t1.f1").votes("bob", "not_real", "t1.f1")
    assert point_states(t.debate)["t1.f1"] is PointState.SETTLED
