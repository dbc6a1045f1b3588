"""What must happen now, and when to look again: both follow from the state alone."""

from __future__ import annotations

from datetime import datetime, timedelta

from core import events as e
from core.checks import pending_follow_up
from core.debate import Debate
from core.guards import GUARDS


def due(debate: Debate) -> tuple[e.TurnStarted | e.TurnSkipped, ...]:
    """What must happen now, given only what has happened so far.

    Empty while paused, before the opening and after the end.
    """
    if debate.opened is None or debate.over or debate.paused is not None:
        return ()
    out: list[e.TurnStarted | e.TurnSkipped] = []
    for turn in debate.waiting:
        if debate.stop is not None and (not turn.closing or _nothing_to_pay_for(debate)):
            out.append(e.TurnSkipped(turn.id, debate.stop.detail or debate.stop.reason.value))
        elif debate.settled.issuperset(turn.reads):
            if not turn.when or GUARDS[turn.when](turn, debate):
                out.append(e.TurnStarted(turn.id))
            else:
                out.append(e.TurnSkipped(turn.id, turn.when))
    return tuple(out)


def _nothing_to_pay_for(debate: Debate) -> bool:
    """The stop says that nothing more is spent, or a budget that did not pay for a single word pays
    for no closing over nothing either.
    """
    stop = debate.stop
    return stop is not None and (
        not stop.closing or (stop.reason is e.EndReason.BUDGET and not debate.finished)
    )


def is_complete(debate: Debate) -> bool:
    """Every turn is settled: the debate can be concluded."""
    return debate.opened is not None and not debate.over and debate.all_settled(debate.turns)


def wake_time(debate: Debate) -> datetime | None:
    """When a debate is to be looked at again: the end of its vote, then the day its report set;
    None while no time is waited for.
    """
    if debate.concluded is None or debate.opened is None:
        return None
    if debate.closed is None:
        return debate.concluded.at + timedelta(seconds=debate.opened.terms.vote_window)
    follow_up = pending_follow_up(debate)
    if follow_up is None:
        return None
    return follow_up.at
