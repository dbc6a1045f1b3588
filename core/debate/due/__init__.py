"""Decides from the state which turns must start or be skipped now, and when to look again."""

from __future__ import annotations

from datetime import datetime, timedelta

from core.debate import events as e
from core.debate.due import argument, proving
from core.debate.due.guards import GUARDS
from core.debate.replies.tasks import RETIRED
from core.debate.script import Topic, Turn
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.verdict.findings.proofs import AUDIT, PROVE
from core.debate.verdict.follow_up import pending_follow_up

NO_LONGER_PLAYED = stored("its format is no longer played")
READS_ALONE = stored("a person or a program reads the change in its own parts")


def due(debate: Debate) -> tuple[e.TurnStarted | e.TurnSkipped, ...]:
    """Returns the turns that must start or be skipped now, given only the events so far.

    The result is empty while the debate is paused, before the opening and after the end.
    """
    if debate.opened is None or debate.over or debate.paused is not None:
        return ()
    out: list[e.TurnStarted | e.TurnSkipped] = []
    proven = not proving.next_step(debate).waits
    for turn in debate.waiting:
        stop = debate.stop
        if stop is not None and not _outlasts(turn, stop, debate):
            out.append(e.TurnSkipped(turn.id, stop.detail or stop.reason.value))
        elif debate.settled.issuperset(turn.reads) and (proven or not turn.closing):
            if turn.task in RETIRED:
                out.append(e.TurnSkipped(turn.id, NO_LONGER_PLAYED))
            elif turn.seat in debate.open.terms.held and turn.about_the(Topic.PART):
                out.append(e.TurnSkipped(turn.id, READS_ALONE))
            elif not turn.when or GUARDS[turn.when](turn, debate):
                out.append(e.TurnStarted(turn.id))
            else:
                out.append(e.TurnSkipped(turn.id, turn.when))
    return tuple(out)


def _outlasts(turn: Turn, stop: e.StopOrdered, debate: Debate) -> bool:
    """Return whether a turn takes place although the debate was stopped: closing turns do, and
    those of a proof if a rule stopped it. No turn does if the stop forbids any spending, or if no
    seat has answered and the stop was not a person's.
    """
    if not stop.closing or (stop.reason is not e.EndReason.HUMAN and not debate.present):
        return False
    return turn.closing or (turn.task in (PROVE, AUDIT) and stop.reason in argument.EARLY)


def is_complete(debate: Debate) -> bool:
    """True if every turn is settled, so that the debate can be concluded."""
    if debate.opened is None or debate.over or not debate.all_settled(debate.turns):
        return False
    return not proving.next_step(debate).waits


def wake_time(debate: Debate) -> datetime | None:
    """Returns when the debate must be looked at again: when a seat that someone holds is no longer
    waited for, at the end of its vote, then on the follow-up day; None while it waits for no time.
    """
    if debate.rests and debate.paused is None:
        return min(debate.until[turn.id] for turn in debate.awaited)
    if debate.concluded is None or debate.opened is None:
        return None
    if debate.closed is None:
        return debate.concluded.at + timedelta(seconds=debate.opened.terms.vote_window)
    follow_up = pending_follow_up(debate)
    if follow_up is None:
        return None
    return follow_up.at
