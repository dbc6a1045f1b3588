"""What is due after a stop, and when a debate must be looked at again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.debate import events as e
from core.debate.due import due, is_complete, wake_time
from core.debate.script import TurnId
from tests.core.table import START, Table, table

REVIEWED = START + timedelta(minutes=5)


def stopped(reason: e.EndReason, *, heard: bool, closing: bool = True, detail: str = "") -> Table:
    """A debate of which one seat at most was heard, and no turn of its first round is left."""
    t = table()
    t = t.says("t1", "approve") if heard else t.fails("t1")
    t.fails("t2").fails("t3")
    return t.add(e.StopOrdered(reason, detail=detail, closing=closing))


@pytest.mark.parametrize(
    ("reason", "heard", "closing", "closes"),
    [
        (e.EndReason.HUMAN, True, True, True),
        (e.EndReason.HUMAN, False, True, True),
        (e.EndReason.HUMAN, True, False, False),
        (e.EndReason.BUDGET, True, True, True),
        (e.EndReason.BUDGET, False, True, False),
        (e.EndReason.CONVERGED, True, True, True),
        (e.EndReason.CONVERGED, True, False, False),
    ],
)
def test_a_stop_skips_all_but_the_end_and_that_too_where_it_would_be_wasted(
    reason: e.EndReason, heard: bool, closing: bool, closes: bool
) -> None:
    debate = stopped(reason, heard=heard, closing=closing).debate
    last = e.TurnStarted(TurnId("end")) if closes else e.TurnSkipped(TurnId("end"), reason.value)
    assert due(debate) == (
        *(e.TurnSkipped(TurnId(id), reason.value) for id in ("u1", "u2", "u3")), last,
    )  # fmt: skip


def test_a_skipped_turn_says_why_it_was_stopped() -> None:
    t = stopped(e.EndReason.BUDGET, heard=True, detail="the budget is used up")
    assert due(t.debate)[0] == e.TurnSkipped(TurnId("u1"), "the budget is used up")


def test_a_turn_waits_for_all_that_it_reads_and_for_nobody_else() -> None:
    t = table()
    assert [x.turn for x in due(t.debate)] == ["t1", "t2", "t3"]
    t.says("t1", "approve").says("t2", "approve")
    assert [x.turn for x in due(t.debate)] == ["t3"]
    t.fails("t3")
    assert [x.turn for x in due(t.debate)] == ["u1", "u2", "u3", "end"]
    paused = Table([*t.events]).add(e.DebatePaused("ann"))
    assert due(paused.debate) == ()
    assert due(Table(t.events[:1]).debate) == ()
    assert not is_complete(t.debate)
    t.skips("u1", "u2", "u3").says("end")
    assert is_complete(t.debate)
    assert not is_complete(t.concluded().debate)
    assert due(t.debate) == ()


def test_a_debate_wakes_at_the_end_of_its_vote_and_on_its_day() -> None:
    t = table(terms={"vote_window": 600.0}, follow_up_days=2)
    assert wake_time(t.debate) is None
    t.says("t1", "approve").says("end").concluded(closed=False)
    assert wake_time(t.debate) == REVIEWED + timedelta(minutes=10)
    t.add(e.VotesClosed("approve", True, False, REVIEWED))
    nine = (START + timedelta(days=2)).replace(hour=9, minute=0)
    assert wake_time(t.debate) == nine
    assert wake_time(t.resolved(True).debate) is None
