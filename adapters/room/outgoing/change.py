"""A change as one reads it: file by file, each finding under the line at which it ends; and the
lines around one finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.review.suggestion import patch_of
from core.debate.material import LEFT, RIGHT, Hunk, Line, Material
from core.debate.material.escaping import show_path
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.evidence import quoted_lines
from core.debate.verdict.findings.merged import MergedFinding
from core.words.views.verdict.findings import FindingView, finding_view

SHORT = 400
"""Lines of a change up to which every file is open at first."""
CONTEXT = 3
"""Lines shown before and after the cited ones."""
LONGEST = 24


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding at its lines; ``patch`` is its fix if code has checked that it applies."""

    id: str
    view: FindingView
    patch: str
    side: str = RIGHT
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One line as it is shown: whether a finding cites it, and the findings that end there."""

    line: Line
    cited: bool
    findings: Sequence[Placed] = ()


@dataclass(frozen=True, slots=True)
class ChangedFile:
    path: str
    added: int
    removed: int
    parts: Sequence[tuple[str, Sequence[ChangeRow]]]
    findings: int
    open: bool


def change_of(debate: Debate) -> tuple[Sequence[ChangedFile], Sequence[Placed]]:
    """Returns the change that a debate is about, as far as it was read, and the findings without a
    line of it.
    """
    material = debate.open.material
    placed_findings = [(m, _placed(debate, m)) for m in merge_findings(debate)]
    hunks: dict[str, list[Hunk]] = {}
    for hunk in material.hunks:
        hunks.setdefault(hunk.path, []).append(hunk)
    short = sum(len(hunk.lines) for hunk in material.hunks) <= SHORT
    at_lines: set[str] = set()
    files = []
    for path, parts in hunks.items():
        here = [
            p for m, p in placed_findings if p.last and m.wording.path in (path, show_path(path))
        ]
        rows_of = [(hunk.header, [_row(line, here) for line in hunk.lines]) for hunk in parts]
        placed = {one.id for _, rows in rows_of for row in rows for one in row.findings}
        at_lines |= placed
        marks = [row.line.mark for _, rows in rows_of for row in rows]
        counts = marks.count("+"), marks.count("-")
        files.append(ChangedFile(path, *counts, rows_of, len(placed), short or bool(placed)))
    return files, [p for _, p in placed_findings if p.id not in at_lines]


def _placed(debate: Debate, merged: MergedFinding) -> Placed:
    f = merged.wording
    view, patch = finding_view(debate, merged), patch_of(debate.open.material, f)
    lines = quoted_lines(debate, f)
    if lines is None:
        return Placed(merged.id, view, patch)
    side = LEFT if f.side.upper() == LEFT else RIGHT
    return Placed(merged.id, view, patch, side, *lines)


def _row(line: Line, findings: Sequence[Placed]) -> ChangeRow:
    numbered = [(one, line.number_on(one.side) or 0) for one in findings]
    cited = any(one.first <= number <= one.last for one, number in numbered)
    return ChangeRow(line, cited, tuple(one for one, number in numbered if number == one.last))


def around(
    material: Material, path: str, number: int | None, last: int | None, side: str
) -> tuple[ChangeRow, ...]:
    """Returns the lines ``number`` to ``last`` with their surroundings; nothing if the change does
    not hold them.
    """
    if number is None:
        return ()
    paths = {path, show_path(path)}
    last = number if last is None else last
    for hunk in material.hunks:
        if hunk.path in paths and (section := _within(hunk, number, last, side)):
            return section
    return ()


def _within(hunk: Hunk, first: int, last: int, side: str) -> tuple[ChangeRow, ...]:
    cited = [
        n for n, line in enumerate(hunk.lines) if first <= (line.number_on(side) or -1) <= last
    ]
    if not cited:
        return ()
    begin, end = max(0, cited[0] - CONTEXT), min(len(hunk.lines), cited[-1] + CONTEXT + 1)
    lines = hunk.lines[begin : min(end, begin + LONGEST)]
    return tuple(ChangeRow(line, n in cited) for n, line in enumerate(lines, begin))
