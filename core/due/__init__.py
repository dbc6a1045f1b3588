"""What must happen now, and when to look again: both follow from the state alone."""

from __future__ import annotations

from datetime import datetime, timedelta

from core import events as e
from core.checks import pending_follow_up
from core.debate import Debate
from core.due.examination import EARLY
from core.due.guards import GUARDS
from core.script import Turn


def due(debate: Debate) -> tuple[e.TurnStarted | e.TurnSkipped, ...]:
    """What must happen now, given only what has happened so far.

    Empty while paused, before the opening and after the end.
    """
    if debate.opened is None or debate.over or debate.paused is not None:
        return ()
    out: list[e.TurnStarted | e.TurnSkipped] = []
    for turn in debate.waiting:
        if debate.stop is not None and not _outlasts(turn, debate):
            out.append(e.TurnSkipped(turn.id, debate.stop.detail or debate.stop.reason.value))
        elif debate.settled.issuperset(turn.reads):
            if not turn.when or GUARDS[turn.when](turn, debate):
                out.append(e.TurnStarted(turn.id))
            else:
                out.append(e.TurnSkipped(turn.id, turn.when))
    return tuple(out)


def _outlasts(turn: Turn, debate: Debate) -> bool:
    """Whether the turn takes place although the debate was stopped: closing ones, and the question
    to a seat that lets pass what it holds, which is added after a stop by the rules alone.
    """
    early = debate.stop is not None and debate.stop.reason in EARLY
    due = turn.closing or (turn.task == "uphold" and early)
    return due and not _nothing_to_pay_for(debate)


def _nothing_to_pay_for(debate: Debate) -> bool:
    """The stop says that nothing more is spent, or it is one for want of money or of seats that
    answer and nobody was heard: a closing over nothing would be paid for, or fail like all before.
    """
    stop = debate.stop
    if stop is None or not stop.closing:
        return stop is not None
    return stop.reason is not e.EndReason.HUMAN and not debate.present


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
