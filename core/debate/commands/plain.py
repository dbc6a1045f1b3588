"""Reads the statement of a person who holds a seat: plain words, of which three things are typed.

The option is the first word or line ("reject: too expensive", "approve 80%", an emoji of the
ballot). A line that begins with a place ("app/db.py:12 the lock is missing") is a finding, and its
quotation is the line of the change at that place. In a turn about single findings, the line "2 not
real: the caller checks it" is the position on the second of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.debate.finding import Finding, Severity
from core.debate.prompting.form import task_of
from core.debate.replies import (
    Answer,
    Argument,
    ArgumentType,
    Position,
    Stance,
    Statement,
)
from core.debate.replies.objects import Unreadable
from core.debate.replies.placing import placed
from core.debate.replies.tasks import OF_A_POINT
from core.debate.script import Topic, Turn
from core.debate.state import Debate
from core.debate.verdict.findings.evidence import change_lines
from core.debate.verdict.votes import find_option

MOST = 8000
"""The most characters of one statement."""
CERTAIN = 1.0
"""The confidence of a person who states none."""
_MOST_FINDINGS = 12
_OPTION = re.compile(
    r"\s*[*_]*(.{1,60}?)[*_]*\s*(?:(\d{1,3})\s?%)?\s*(?:[:.,;!\n–—-]\s|[:.!]?\s*\Z|\n)", re.DOTALL
)
_EMOJI = re.compile(r"\s*(:[\w+-]+:|[^\w\s]+)\s*(?:(\d{1,3})\s?%)?[\s:.,;–—-]*")
_PLACE = re.compile(
    r"^[\s>*`-]*([\w@+./\\-]*[\w@+]\.\w+|[\w@+.-]+/[\w@+./-]+):(\d{1,6})\b`?[\s:,–—-]*(.*)$"
)
_POINT = re.compile(
    r"^[\s>*#-]*(?:(\d{1,2})[\s.):-]+)?(must[ _-]fix|need[ _-]not(?:[ _-]block)?|not[ _-]real)"
    r"\b[\s:,.–—-]*(.*)$",
    re.IGNORECASE,
)
_POSITIONS = {"must": Position.MUST_FIX, "need": Position.NEED_NOT, "not": Position.NOT_REAL}


def statement_of(debate: Debate, turn: Turn, text: str, points: Sequence[str]) -> Statement:
    """Returns the statement; ``points`` are the findings that the turn is about, in the order in
    which the person was shown them. Raises ``Unreadable`` with the form that is missing.
    """
    task, text = task_of(debate, turn), text.strip()
    if not text:
        raise Unreadable("Write your statement in words.")
    if len(text) > MOST:
        raise Unreadable(
            "A statement may have {most} characters; this one has {count}.",
            most=MOST,
            count=len(text),
        )
    stance = _stance(debate, text) if "stance" in task.asks else None
    if stance is None and "stance" in task.requires:
        options = ", ".join(option.option for option in debate.open.template.ballot)
        raise Unreadable("Begin with the option that you hold: {options}.", options=options)
    answers: tuple[Answer, ...] = ()
    if task.positions == OF_A_POINT:
        answers = tuple(_answers(text, points))
        if not answers and "answers" in task.requires:
            raise Unreadable(
                "Say of each finding whether it is real, on a line like: 1 must fix: WHY "
                "(or: need not block, not real)."
            )
    if turn.about is not None and turn.answers_person:
        answers = (Answer(turn.about.name, Position.ANSWERED, text),)
    findings = tuple(_findings(debate, text, turn, stance)) if "findings" in task.asks else ()
    kind = turn.about_the(Topic.ARGUMENT)
    argument = Argument(ArgumentType(kind)) if kind else None
    return Statement(text, stance=stance, findings=findings, answers=answers, argument=argument)


def _stance(debate: Debate, text: str) -> Stance | None:
    """Returns the option of the first words, with the rest as its reason."""
    for form in (_OPTION, _EMOJI):
        match = form.match(text)
        if match and (option := find_option(match[1], debate.open.template.ballot)):
            confidence = min(100, int(match[2])) / 100 if match[2] else CERTAIN
            because = text[match.end() :].strip().lstrip("-–—:,. ") or text
            return Stance(option, confidence, because)
    return None


def _findings(debate: Debate, text: str, turn: Turn, stance: Stance | None) -> Iterator[Finding]:
    """Yields a finding for each line that begins with a place; it must be fixed if the person's
    option blocks.
    """
    lines = change_lines(debate)
    blocks = stance is not None and stance.option in debate.open.template.blocking
    usual = Severity.HIGH if blocks else Severity.MEDIUM
    places = [match for line in text.splitlines() if (match := _PLACE.match(line))]
    for number, match in enumerate(places[:_MOST_FINDINGS], 1):
        path, line, title = match[1], int(match[2]), match[3].strip()
        severities = (s for s in Severity if re.search(rf"\b{s}\b", title, re.IGNORECASE))
        finding = Finding(
            f"{turn.id}.f{number}",
            next(severities, usual),
            stance.confidence if stance else CERTAIN,
            title or f"A defect at {path}:{line}",
            path,
            line,
            quote=_line_at(debate, path, line),
            must_fix=blocks,
        )
        yield placed(finding, lines)


def _line_at(debate: Debate, path: str, number: int) -> str:
    """Returns a line of the new side of the change, else of the old one."""
    hunks = [h for h in debate.open.material.hunks if f"/{h.path}".endswith(f"/{path}")]
    lines = [line for hunk in hunks for line in hunk.lines]
    new = (line.text for line in lines if line.new == number)
    old = (line.text for line in lines if line.old == number)
    return next(new, "") or next(old, "")


def _answers(text: str, points: Sequence[str]) -> Iterator[Answer]:
    """Yields the position on each finding that a line names; without a number it is on all."""
    for line in text.splitlines():
        match = _POINT.match(line)
        if match is None:
            continue
        position = _POSITIONS[re.split(r"[ _-]", match[2].lower())[0]]
        number = int(match[1]) if match[1] else 0
        chosen = points[number - 1 : number] if number else points
        yield from (Answer(id, position, match[3].strip()) for id in chosen)
