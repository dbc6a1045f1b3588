"""Reads the statement of a person who holds a seat: plain words, of which three things are typed.

The option is the first word or line ("reject: too expensive", "approve 80%", an emoji of the
ballot). A line that begins with a place ("app/db.py:12 the lock is missing") is a finding, and its
quotation is the line of the change that stands there. In a turn about single findings a line like
"2 not real: the caller checks it" is the position on the second of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.debate.finding import Finding, Severity
from core.debate.replies import Answer, Position, Stance, Statement
from core.debate.replies.objects import Unreadable
from core.debate.replies.tasks import OF_A_POINT, Task
from core.debate.script import Turn
from core.debate.template import Option

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

LineAt = Callable[[str, int], str]
"""Returns the text of a line of the change, by path and number; "" if it is not there."""
FindOption = Callable[[str, Sequence[Option]], str | None]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a statement is read with. ``points`` are the findings that the turn is about, in the
    order in which the person was shown them; ``placed`` puts a finding where its quotation stands.
    """

    ballot: Sequence[Option]
    find_option: FindOption
    line_at: LineAt = lambda _path, _line: ""
    placed: Callable[[Finding], Finding] = lambda finding: finding
    points: Sequence[str] = ()


def statement_of(text: str, turn: Turn, task: Task, reading: Reading) -> Statement:
    """Returns the statement. Raises ``Unreadable`` with the form that is missing."""
    text = text.strip()
    if not text:
        raise Unreadable("Write your statement in words.")
    if len(text) > MOST:
        raise Unreadable(f"A statement may have {MOST} characters; this one has {len(text)}.")
    stance = _stance(text, reading) if "stance" in task.asks else None
    if stance is None and "stance" in task.requires:
        options = ", ".join(option.option for option in reading.ballot)
        raise Unreadable(f"Begin with the option that you hold: {options}.")
    answers = tuple(_answers(text, reading)) if task.positions == OF_A_POINT else ()
    if not answers and task.positions == OF_A_POINT and "answers" in task.requires:
        raise Unreadable(
            "Say of each finding whether it is real, on a line like: 1 must fix: WHY "
            "(or: need not block, not real)."
        )
    findings = tuple(_findings(text, turn, stance, reading)) if "findings" in task.asks else ()
    return Statement(text, stance=stance, findings=findings, answers=answers)


def _stance(text: str, reading: Reading) -> Stance | None:
    """Returns the option of the first words, with the rest as its reason."""
    match = option = None
    for form in (_OPTION, _EMOJI):
        match = form.match(text)
        option = reading.find_option(match[1], reading.ballot) if match else None
        if option:
            break
    if match is None or option is None:
        return None
    confidence = min(100, int(match[2])) / 100 if match[2] else CERTAIN
    return Stance(option, confidence, text[match.end() :].strip().lstrip("-–—:,. ") or text)


def _findings(text: str, turn: Turn, stance: Stance | None, reading: Reading) -> Iterator[Finding]:
    """Yields a finding for each line that begins with a place; it must be fixed if the person's
    option blocks.
    """
    held = next((o for o in reading.ballot if stance and o.option == stance.option), None)
    blocks = held is not None and held.blocks
    places = [match for line in text.splitlines() if (match := _PLACE.match(line))]
    for number, match in enumerate(places[:_MOST_FINDINGS], 1):
        path, line, title = match[1], int(match[2]), match[3].strip()
        severity = next((s for s in Severity if re.search(rf"\b{s}\b", title, re.IGNORECASE)), None)
        yield reading.placed(
            Finding(
                f"{turn.id}.f{number}",
                severity or (Severity.HIGH if blocks else Severity.MEDIUM),
                stance.confidence if stance else CERTAIN,
                title or f"A defect at {path}:{line}",
                path,
                line,
                quote=reading.line_at(path, line),
                must_fix=blocks,
            )
        )


def _answers(text: str, reading: Reading) -> Iterator[Answer]:
    """Yields the position on each finding that a line names; without a number it is on all."""
    for line in text.splitlines():
        match = _POINT.match(line)
        if match is None:
            continue
        position = _POSITIONS[re.split(r"[ _-]", match[2].lower())[0]]
        number = int(match[1]) if match[1] else 0
        chosen = reading.points[number - 1 : number] if number else reading.points
        yield from (Answer(id, position, match[3].strip()) for id in chosen)
