"""Moves a finding to its quotation, and describes how that place was found."""

from __future__ import annotations

from dataclasses import replace

from core.debate.finding import Finding, Stated
from core.debate.material import LEFT, RIGHT
from core.debate.material.locating import Lines
from core.debate.material.plaintext import cell


def placed(finding: Finding, lines: Lines) -> Finding:
    """Returns the finding at the place of its quotation in the change, with the place that the seat
    stated; unchanged and not anchored if the quotation is nowhere.
    """
    place = lines.find(finding.quote, finding.path, finding.line, finding.side)
    if place is None:
        return replace(finding, anchored=False)
    moved = (
        (finding.path, finding.side) != (place.path, place.side)
        or finding.line is None
        or not place.first <= finding.line <= place.last
    )
    return replace(
        finding,
        path=place.path,
        line=place.first,
        end=place.last,
        side=place.side,
        anchored=True,
        loose=place.loose,
        stated=Stated(finding.path, finding.line, finding.side) if moved else None,
    )


def placing_words(finding: Finding) -> str:
    """Describes how the place was found if it differs from the stated one: "moved from line 12",
    "quoted loosely"; else empty.
    """
    notes = []
    if finding.stated is not None and (moved := _moved(finding, finding.stated)):
        notes.append(moved)
    if finding.loose:
        notes.append("quoted loosely")
    return ", ".join(notes)


def placing_note(finding: Finding) -> str:
    """Returns the same as Markdown to append to a place: " (moved from line 12)"; else empty."""
    if words := placing_words(finding):
        return f" ({cell(words, 200)})"
    return ""


def _moved(finding: Finding, stated: Stated) -> str:
    if stated.line is None:
        return "placed by its quotation"
    if stated.path and not f"/{stated.path}".endswith(f"/{finding.path}"):
        return f"moved from {stated.path}:{stated.line}"
    if finding.line is not None and finding.line <= stated.line <= (finding.end or finding.line):
        return {LEFT: "on a removed line", RIGHT: "on a line that stays"}[finding.side]
    return f"moved from line {stated.line}"
