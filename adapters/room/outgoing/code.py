"""The lines of a change around a finding, with those that it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.debate.material import Hunk, Line, Material
from core.debate.material.escaping import show_path

CONTEXT = 3
"""Lines shown before and after the cited ones."""
LONGEST = 24


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One line as it is shown: whether a finding cites it, and the findings that end there."""

    line: Line
    cited: bool
    findings: Sequence[Any] = ()


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
    return _shown(hunk.lines[begin : min(end, begin + LONGEST)], begin, set(cited))


def _shown(lines: Sequence[Line], begin: int, cited: set[int]) -> tuple[ChangeRow, ...]:
    return tuple(ChangeRow(line, n in cited) for n, line in enumerate(lines, begin))
