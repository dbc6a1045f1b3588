"""Checks whether a citation is true as it was stated: path, line and side, and the quoted words
there.
"""

from __future__ import annotations

from core.debate.finding import Stated
from core.debate.material import Material
from core.debate.material.locating import Lines, runs_of


def stands_there(material: Material, path: str, line: int | None, side: str, quote: str) -> bool:
    place = Lines(runs_of(material.hunks)).find(quote, Stated(path, line, side))
    if place is None:
        return False
    return (place.path, place.first, place.side) == (path, line, side.upper())
