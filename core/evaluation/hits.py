"""Whether a finding names a known defect: the same file, a near line, and one of its words."""

from __future__ import annotations

from collections.abc import Iterable

from core.evaluation import Defect
from core.material import Hunk, Material
from core.replies import Finding
from core.verdict.findings import MergedFinding

NEAR = 3
"""Lines between a finding and a known defect that still mean the same place."""


def names(finding: MergedFinding, defect: Defect, material: Material) -> bool:
    """Whether one wording of ``found`` that still stands names ``defect``, by place and by words.

    Without words the place decides.
    """
    return any(
        at_it(raised.finding, defect, material)
        and (not defect.words or says_it(raised.finding, defect))
        for raised in finding.standing
    )


def at_it(finding: Finding, defect: Defect, material: Material) -> bool:
    """Whether the finding stands at a place of the defect."""
    line = new_line(material, finding)
    return line is not None and any(
        spot.path == finding.path and spot.near(line, NEAR) for spot in defect.spots
    )


def says_it(finding: Finding, defect: Defect) -> bool:
    """Whether the finding says one of the defect's words. What it quotes is the change's own text
    and says nothing of what the seat understood, so it is not looked at.
    """
    text = f"{finding.title}\n{finding.trigger}\n{finding.fix}".casefold()
    return any(word.casefold() in text for word in defect.words)


def new_line(material: Material, finding: Finding) -> int | None:
    """The line on the new side that a finding is about; for a removed line the one that stands
    there now.
    """
    if finding.side.upper() != "LEFT" or finding.line is None:
        return finding.line
    here = (h for h in material.hunks if finding.path in (h.path, h.old_path))
    return next((n for n in (_after(h, finding.line) for h in here) if n is not None), None)


def _after(hunk: Hunk, old: int) -> int | None:
    """The number on the new side at, or first after, the old line; None where it is not here."""
    at = next((i for i, line in enumerate(hunk.lines) if line.old == old), None)
    if at is None:
        return None
    return _first(line.new for line in (*hunk.lines[at:], *reversed(hunk.lines[:at])))


def _first(numbers: Iterable[int | None]) -> int | None:
    return next((n for n in numbers if n is not None), None)
