"""Renders earlier decisions about the same material for seats and people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from core.debate.material import Material, Precedent
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import cut
from core.debate.stored import stored

MOST = 3
LONGEST = 1000
"""The most characters of all precedents together."""
_NOTE = "Decided here before: "
_HELD = {
    True: stored("{why_decision} ({why_day}, “{title}”), and it held"),
    False: stored("{why_decision} ({why_day}, “{title}”), and it did not hold"),
    None: stored("{why_decision} ({why_day}, “{title}”)"),
}


def render_precedents(precedents: Iterable[Precedent]) -> str:
    """Renders one line for each, the nearest first, together no longer than ``LONGEST``."""
    lines = []
    room = LONGEST
    for one in precedents:
        text = ": ".join(filter(None, (describe_precedent(one), "; ".join(one.points))))
        line = cut(show_hidden(text), room)
        room -= len(line) + 1
        lines.append(line)
        if room < len(describe_precedent(one)):
            break
    return "\n".join(lines)


def note_of(precedents: Iterable[Precedent]) -> str:
    """Returns the sentence that names them in a material's notes."""
    return stored("Decided here before: {why}.", why="; ".join(map(describe_precedent, precedents)))


def without_quotation(material: Material, debate: str) -> Material:
    """Returns the material without its quotations of a debate."""
    left = tuple(one for one in material.precedents if one.debate != debate)
    if len(left) == len(material.precedents):
        return material
    notes = [note for note in material.notes if not note.startswith(_NOTE)]
    if left:
        notes.append(note_of(left))
    return replace(material, precedents=left, notes=tuple(notes))


def describe_precedent(one: Precedent) -> str:
    """Describes the decision in one line and, if people judged it, whether it held."""
    decision = one.decision.replace("_", " ").lower()
    day = date.fromisoformat(one.day)
    when = f"{day.day} {day:%b %Y}"
    text = stored(_HELD[one.held], why_decision=decision, why_day=when, title=one.title)
    return " ".join(text.split())
