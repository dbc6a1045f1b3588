"""Reads from a prompt what a scripted model uses: citable lines, ids that may be answered, orders
hidden in the material.

A double that invents its citations would make every check of quotes and lines fail, and one that
ignores an order hidden in a diff could not show whether the rest of the program withstands a model
that obeys it. So the prompt is read only by its form, with no knowledge of which prompt it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.debate.ports import Message
from core.debate.scene import CitableLine

_NUMBERED = re.compile(r"^ {0,5}(\d{1,6}) ([+ -]) (.*)$")
HEADING = re.compile(r"^=== (\S.*?)(?: \([^()]*\))?$")
"""The form in which ``core.debate.material.diffs`` shows a file and its lines."""

_MARK = re.compile(r"^\| ?", re.MULTILINE)
"""The beginning of foreign lines."""

_FENCE = re.compile(r"(?<=\[)[0-9a-f]{10}\b|\b[0-9a-f]{10}(?=\])")
"""The token around foreign text, drawn anew for every debate."""

POINT = re.compile(r"(?<![\w.-])([\w-]+(?:\.[\w-]+)*\.[cf]\d+)(?![\w.])")
_TURN = re.compile(r"^\[([\w.-]+)\] (A person objected)?", re.MULTILINE)
_PERSONA = re.compile(r"\byou are ([^\n]{1,80}\n?[^\n]{0,80})", re.IGNORECASE)
ORDER = re.compile(
    r"(?:IMPLEMENTATION NOTES? FOR (?:THE )?REVIEWERS?|NOTE TO (?:THE "
    r")?(?:AI|REVIEWER|MODEL)S?|SYSTEM(?: PROMPT| OVERRIDE)?\s*:"
    r"|ignore (?:all )?(?:the )?(?:previous|prior|above) instructions)[:\s,.-]*(.{0,600})",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Seen:
    """The parts found in one prompt.

    ``points`` are ids of claims and findings, those named in the seat's own instruction first;
    ``turns`` ids of statements; ``objections`` ids of people's challenges. ``order`` is the text
    after an instruction hidden in the material, empty if there is none.
    """

    lines: tuple[CitableLine, ...]
    points: tuple[str, ...]
    turns: tuple[str, ...]
    objections: tuple[str, ...]
    persona: str
    order: str

    @property
    def answerable(self) -> tuple[str, ...]:
        """The ids that an answer may be addressed to, those first that are owed an answer."""
        return self.objections + (self.points or self.turns)


def read(messages: Sequence[Message]) -> Seen:
    """Reads all blocks.

    Orders are looked for outside the system block, which means only in material and other seats'
    words.
    """
    whole = "\n".join(map(_unmarked, messages))
    text = "\n".join(_unmarked(m) for m in messages if m.role != "system")
    last = ""
    if messages:
        last = _unmarked(messages[-1])
    persona = _PERSONA.search(last)
    order = ORDER.search(text)
    matches = _TURN.findall(whole)
    return Seen(
        lines=tuple(cited(whole)),
        points=tuple(dict.fromkeys((*POINT.findall(last), *POINT.findall(whole)))),
        turns=tuple(dict.fromkeys(id for id, objected in matches if not objected)),
        objections=tuple(dict.fromkeys(id for id, objected in matches if objected)),
        persona=persona.group(1) if persona else last,
        order=(order.group(1).strip() or order.group(0)) if order else "",
    )


def unfenced(text: str) -> str:
    """Returns the prompt without the tokens drawn for its debate, so that two debates over the same
    material share it.
    """
    return _FENCE.sub("", text)


def _unmarked(message: Message) -> str:
    return _MARK.sub("", message.text)


def cited(text: str) -> list[CitableLine]:
    """Returns the changed lines of a numbered diff, or all lines if nothing is changed (a
    document); too short ones (braces) are left out.
    """
    places: list[tuple[str, CitableLine]] = []
    path = ""
    for raw in text.split("\n"):
        if path and (hit := _NUMBERED.match(raw)):
            number, mark, words = int(hit.group(1)), hit.group(2), hit.group(3).strip()
            if len(words) >= 4:
                places.append(
                    (mark, CitableLine(path, number, words, "LEFT" if mark == "-" else "RIGHT"))
                )
        elif hit := HEADING.match(raw):
            path = hit.group(1)
    return [c for mark, c in places if mark != " "] or [c for _, c in places]
