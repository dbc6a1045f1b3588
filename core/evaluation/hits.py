"""Decides whether a finding names a known defect: the same file, a near line, and one of its
words.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.debate.finding import Finding
from core.debate.material import Hunk, Material
from core.debate.verdict.findings import MergedFinding
from core.evaluation import Defect

NEAR = 3
"""The most lines between a finding and a known defect at the same place."""


def names(finding: MergedFinding, defect: Defect, material: Material) -> bool:
    """True if an open wording of the finding names ``defect``, by place and by words. Without words
    the place decides.
    """
    return any(
        at_it(raised.finding, defect, material)
        and (not defect.words or says_it(raised.finding, defect))
        for raised in finding.standing
    )


def at_it(finding: Finding, defect: Defect, material: Material) -> bool:
    """True if the finding is at a place of the defect."""
    line = new_line(material, finding)
    return line is not None and any(
        spot.path == finding.path and spot.near(line, NEAR) for spot in defect.spots
    )


def says_it(finding: Finding, defect: Defect) -> bool:
    """True if the finding contains one of the defect's words.

    Its quotation is ignored: that is the change's text and does not show what the seat understood.
    """
    text = f"{finding.title}\n{finding.trigger}\n{finding.fix}".casefold()
    return any(word.casefold() in text for word in defect.words)


def new_line(material: Material, finding: Finding) -> int | None:
    """Returns the new-side line that a finding is about; for a removed line, the line that replaced
    it.
    """
    if finding.side.upper() != "LEFT" or finding.line is None:
        return finding.line
    here = (h for h in material.hunks if finding.path in (h.path, h.old_path))
    return next((n for n in (_after(h, finding.line) for h in here) if n is not None), None)


def _after(hunk: Hunk, old: int) -> int | None:
    """Returns the new-side number at, or first after, the old line; None outside this hunk."""
    at = next((i for i, line in enumerate(hunk.lines) if line.old == old), None)
    if at is None:
        return None
    return _first(line.new for line in (*hunk.lines[at:], *reversed(hunk.lines[:at])))


def _first(numbers: Iterable[int | None]) -> int | None:
    return next((n for n in numbers if n is not None), None)
