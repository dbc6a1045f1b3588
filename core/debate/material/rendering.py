"""Renders for the seats what they read in addition to the text of a change: the code around it, the
reports of scanners, earlier decisions, decision records, and the ledger of the change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from core.debate.ledger import Demand, Fate
from core.debate.material import Around, DecisionRecord, Material, Near, Precedent, Scanned
from core.debate.material.escaping import show_hidden, show_path
from core.debate.material.plaintext import cut, shorten
from core.debate.stored import stored

_NEAR = {
    Near.ENCLOSES: "encloses the change",
    Near.DEFINES: "is called by a changed line",
    Near.CALLS: "calls what was changed",
    Near.SETS: "sets what a changed line reads",
    Near.OVERRIDDEN: "is overridden by what was changed",
}
LONGEST = 1000
"""The most characters of all precedents together."""
_NOTE = "Decided here before: "
_HELD = {
    True: stored("{why_decision} ({why_day}, “{title}”), and it held"),
    False: stored("{why_decision} ({why_day}, “{title}”), and it did not hold"),
    None: stored("{why_decision} ({why_day}, “{title}”)"),
}
_SETTLED = 40
"""The most settled demands that a seat reads."""
_LONGEST_DEMAND = 300
"""The most characters of one demand."""
_FATES = {
    Fate.SAME: "untouched since",
    Fate.MOVED: "untouched since",
    Fate.CHANGED: "its lines changed: still there?",
    Fate.REPLACED: "its lines changed: still there?",
    Fate.GONE: "its lines are gone",
}


def texts_beside(material: Material) -> tuple[str, ...]:
    """Renders everything that seats may read in addition to the material's own texts."""
    return (
        render_around(material.around, material.around_left),
        render_scanned(material.scanned),
        render_precedents(material.precedents),
        render_demands(material.demands),
        render_records(material.records),
    )


def render_around(pieces: Iterable[Around], left: Iterable[str]) -> str:
    """Renders all pieces of code, and a last line that names those that found no room."""
    parts = [_piece(piece) for piece in pieces]
    if named := "; ".join(left):
        parts.append(f"Not shown for lack of room: {named}")
    return "\n\n".join(parts)


def around_chars(pieces: Iterable[Around]) -> int:
    """Counts the characters that the pieces take in a prompt, with the mark of each line."""
    return sum(len(text) + 2 + 3 * text.count("\n") for text in map(_piece, pieces))


def _piece(piece: Around) -> str:
    where = f"{show_path(piece.path)}:{piece.first}-{piece.last}"
    width = len(str(piece.last))
    numbered = (f"{n:{width}} {text}" for n, text in enumerate(piece.lines, piece.first))
    return "\n".join((f"{where} ({piece.name} {_NEAR[piece.near]})", *numbered))


def place_of(pieces: Iterable[Around], quote: str) -> str:
    """Returns the place of a quotation in the pieces, as ``path:line``; empty if it is not there.
    Whitespace is read as one space, so a quotation may span lines.
    """
    wanted = " ".join(quote.split())
    for piece in pieces if wanted else ():
        for n, text in enumerate(piece.lines, piece.first):
            if wanted in " ".join(text.split()):
                return f"{piece.path}:{n}"
        if wanted in " ".join(" ".join(piece.lines).split()):
            return f"{piece.path}:{piece.first}"
    return ""


def render_scanned(scanned: Iterable[Scanned]) -> str:
    """Renders one line for each report of a scanner."""
    return "\n".join(
        show_hidden(f"{s.id} {s.severity} {show_path(s.path)}:{s.line} {s.title} ({s.tool})")
        for s in scanned
    )


def render_records(records: Iterable[DecisionRecord]) -> str:
    """Renders each decision record below its number, title and path."""
    return "\n\n".join(
        f"record {one.number}: {one.title} ({one.path})\n{one.text}" for one in records
    )


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


def render_demands(demands: Iterable[Demand]) -> str:
    """Renders one line for each demand: those to answer with their ids, then the settled ones, the
    latest first; it names what is not shown.
    """
    every = tuple(demands)
    settled = sorted((d for d in every if not d.listed), key=lambda d: -d.settled_in)
    lines = []
    for demand in every:
        if demand.listed:
            now = "people say it is not real" if demand.disputed else _FATES[demand.fate]
            lines.append(f"{demand.id} {_demanded(demand)} ({now})")
    for demand in settled[:_SETTLED]:
        by = f" by {demand.settled_by.value}" if demand.settled_by is not None else ""
        outcome = f"{demand.state.value}{by} in review {demand.settled_in}"
        lines.append(f"- {_demanded(demand)} ({outcome})")
    if left := len(settled[_SETTLED:]):
        lines.append(f"[{left} more that were settled before are not shown]")
    return "\n".join(lines)


def _demanded(demand: Demand) -> str:
    f = demand.finding
    place = f"{f.path}:{f.line}" if f.line else f.path
    return shorten(show_hidden(f"{f.severity} {place} {f.title} | {f.trigger}"), _LONGEST_DEMAND)
