"""Seats that a person or a program holds: their statements, and the end of the time that they are
waited for.
"""

from __future__ import annotations

from datetime import datetime

from core.debate import commands as c
from core.debate import events as e
from core.debate.due.argument import at_issue
from core.debate.errors import Refused
from core.debate.ports import Reply
from core.debate.prompting.form import task_of
from core.debate.replies import Answer, Argument, ArgumentType, Position, Statement
from core.debate.replies.objects import Unreadable
from core.debate.replies.placing import placed
from core.debate.replies.plain import Reading, statement_of
from core.debate.script import Topic, Turn
from core.debate.speaking import read
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.usage import Usage
from core.debate.verdict.findings.evidence import change_lines
from core.debate.verdict.votes import find_option

_ANSWERING = (Topic.CHALLENGE, Topic.HOT_SEAT)


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
        raise Refused(str(problem)) from None
    return (e.TurnFinished(turn.id, statement, Usage(usd=0.0), ""),)


def end_waiting(debate: Debate, at: datetime) -> tuple[e.Event, ...]:
    """Returns the events of the turns whose time is over: their seats count as silent."""
    late = [turn for turn in debate.awaited if debate.until[turn.id] <= at]
    return tuple(e.TurnFailed(turn.id, why_late(debate)) for turn in late)


def why_late(debate: Debate) -> str:
    minutes = f"{debate.open.terms.patience / 60:g}"
    return stored("not within {minutes} minutes", minutes=minutes)


def statement_in(debate: Debate, turn: Turn, text: str) -> Statement:
    """Reads a holder's text: a JSON object as a model's reply to the turn, else a person's words.
    Raises ``Unreadable``.
    """
    if text.lstrip().startswith("{"):
        return read(debate, turn, Reply(text))
    lines = change_lines(debate)
    task = task_of(debate, turn)
    statement = statement_of(
        text,
        turn,
        task,
        Reading(
            debate.open.template.ballot,
            find_option,
            lambda path, line: _line_at(debate, path, line),
            lambda finding: placed(finding, lines),
            tuple(finding.id for finding in at_issue(debate, turn)) if task.pointed else (),
        ),
    )
    return _completed(turn, statement)


def _completed(turn: Turn, statement: Statement) -> Statement:
    """Adds what the turn itself says of a statement: the challenge that it answers, the type of the
    argument that is due.
    """
    fields = {
        field: getattr(statement, field) for field in ("stance", "findings", "answers", "argument")
    }
    if turn.about is not None and turn.about.topic in _ANSWERING:
        fields["answers"] = (Answer(turn.about.name, Position.ANSWERED, statement.text),)
    if kind := turn.about_the(Topic.ARGUMENT):
        fields["argument"] = Argument(ArgumentType(kind))
    return Statement(statement.text, **fields)


def _line_at(debate: Debate, path: str, number: int) -> str:
    """Returns a line of the new side of the change, else of the old one."""
    hunks = [h for h in debate.open.material.hunks if f"/{h.path}".endswith(f"/{path}")]
    lines = [line for hunk in hunks for line in hunk.lines]
    new = (line.text for line in lines if line.new == number)
    old = (line.text for line in lines if line.old == number)
    return next(new, "") or next(old, "")
