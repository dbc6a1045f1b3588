"""Seats that a person or a program holds: their statements, and the end of the time that they are
waited for.
"""

from __future__ import annotations

from datetime import datetime

from core.debate import commands as c
from core.debate import events as e
from core.debate.commands.plain import statement_of
from core.debate.due.argument import at_issue
from core.debate.errors import Refused
from core.debate.ports import Reply
from core.debate.prompting.form import task_of
from core.debate.replies import Statement
from core.debate.replies.objects import Unreadable
from core.debate.script import Turn
from core.debate.speaking import read
from core.debate.state import Debate
from core.debate.stored import lasting, stored
from core.debate.usage import Usage


def turns_due(debate: Debate, holder: str) -> tuple[Turn, ...]:
    """Returns the turns for which this holder is waited for now, in the order of the script."""
    held = debate.open.terms.held if debate.opened is not None else {}
    return tuple(t for t in debate.awaited if t.seat in held and held[t.seat].id == holder)


def speak(debate: Debate, command: c.Speak) -> tuple[e.Event, ...]:
    """Returns the event of the statement. Raises ``Refused`` if no such turn is due to the holder,
    and if the statement lacks something, which it names.
    """
    if debate.over:
        raise Refused("The debate is over.")
    due = turns_due(debate, command.by)
    turn = next((t for t in due if command.turn in ("", t.id)), None)
    if turn is None:
        known = any(h.id == command.by for h in debate.open.terms.held.values())
        if not known:
            raise Refused("You hold no seat in this debate.")
        raise Refused("It is not your turn now: you get a message here when it is.")
    try:
        statement = statement_in(debate, turn, command.text)
    except Unreadable as problem:
        raise Refused(problem.text, **problem.fields) from None
    return (e.TurnFinished(turn.id, statement, Usage(usd=0.0), ""),)


def end_waiting(debate: Debate, at: datetime) -> tuple[e.Event, ...]:
    """Returns the events of the turns whose time is over: their seats count as silent."""
    if not debate.awaited:
        return ()
    why = stored("not within {why_long}", why_long=lasting(debate.open.terms.patience))
    late = (turn for turn in debate.awaited if debate.until[turn.id] <= at)
    return tuple(e.TurnFailed(turn.id, why) for turn in late)


def statement_in(debate: Debate, turn: Turn, text: str) -> Statement:
    """Reads a holder's text: a JSON object as a model's reply to the turn, else a person's words.
    Raises ``Unreadable``.
    """
    if text.lstrip().startswith("{"):
        return read(debate, turn, Reply(text))
    points = at_issue(debate, turn) if task_of(debate, turn).pointed else ()
    return statement_of(debate, turn, text, [finding.id for finding in points])
