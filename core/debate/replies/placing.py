"""Moves a finding to its quotation, and describes how that place was found."""

from __future__ import annotations

from dataclasses import replace

from core.debate.finding import Finding, Stated
from core.debate.material import LEFT, RIGHT
from core.debate.material.locating import Lines
from core.debate.stored import stored

_REMOVED, _STAYS = stored("on a removed line"), stored("on a line that stays")


def placed(finding: Finding, lines: Lines) -> Finding:
    """Returns the finding at the place of its quotation in the change, with the place that the seat
    stated; unchanged and not anchored if the quotation is nowhere.
    """
    stated = Stated(finding.path, finding.line, finding.side)
    exact = lines.find(finding.quote, stated)
    place = exact or lines.find_nearly(finding.quote, stated)
    if place is None:
        return replace(finding, anchored=False)
    moved = (
        (stated.path, stated.side) != (place.path, place.side)
        or stated.line is None
        or not place.first <= stated.line <= place.last
    )
    return replace(
        finding,
        path=place.path,
        line=place.first,
        end=place.last,
        side=place.side,
        anchored=True,
        loose=exact is None,
        stated=stated if moved else None,
    )


def placing_words(finding: Finding) -> str:
    """Describes how the place was found if it differs from the stated one: "moved from line 12",
    "quoted loosely"; else empty.
    """
    notes = []
    if finding.stated is not None and (moved := _moved(finding, finding.stated)):
        notes.append(moved)
    if finding.loose:
        notes.append(stored("quoted loosely"))
    return ", ".join(notes)


def _moved(finding: Finding, stated: Stated) -> str:
    if stated.line is None:
        return stored("placed by its quotation")
    if stated.path and not f"/{stated.path}".endswith(f"/{finding.path}"):
        return stored("moved from {path}:{n}", path=stated.path, n=stated.line)
    if finding.line is not None and finding.line <= stated.line <= (finding.end or finding.line):
        return {LEFT: _REMOVED, RIGHT: _STAYS}[finding.side]
    return stored("moved from line {n}", n=stated.line)
