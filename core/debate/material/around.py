"""Renders the code around a change for the seats: each piece with its path, line numbers, and the
reason for showing it.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.debate.material import Around, Near
from core.debate.material.escaping import show_path

_WHY = {
    Near.ENCLOSES: "stands around the change",
    Near.DEFINES: "is called by a changed line",
    Near.CALLS: "calls what was changed",
    Near.SETS: "sets what a changed line reads",
    Near.OVERRIDDEN: "is overridden by what was changed",
}


def render_around(pieces: Iterable[Around], left: Iterable[str] = ()) -> str:
    """Renders all pieces, and a last line that names those that found no room."""
    parts = [_rendered(piece) for piece in pieces]
    if named := "; ".join(left):
        parts.append(f"Not shown for lack of room: {named}")
    return "\n\n".join(parts)


def around_chars(pieces: Iterable[Around]) -> int:
    """Counts the characters that the pieces take in a prompt, with the mark of each line."""
    return sum(len(text) + 2 + 3 * text.count("\n") for text in map(_rendered, pieces))


def _rendered(piece: Around) -> str:
    where = f"{show_path(piece.path)}:{piece.first}-{piece.last}"
    width = len(str(piece.last))
    numbered = (f"{n:{width}} {text}" for n, text in enumerate(piece.lines, piece.first))
    return "\n".join((f"{where} ({piece.name} {_WHY[piece.near]})", *numbered))


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
