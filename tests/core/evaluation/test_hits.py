"""When a finding names a known defect: by place and by words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.evaluation import Defect, Spot
from core.evaluation.hits import NEAR, names_it, new_line
from core.material import Hunk, Kind, Line, Material
from tests.core.table import finding

LINES = (
    Line(" ", "a", 1, 1),
    Line("-", "b", 2, None),
    Line("-", "c", 3, None),
    Line("+", "d", None, 2),
    Line(" ", "e", 4, 3),
    Line("-", "f", 5, None),
)
MATERIAL = Material(Kind.DIFF, "", "", hunks=(Hunk("a.py", "", LINES),))
DEFECT = Defect("traversal", (Spot("a.py", 40), Spot("b.py", 7)), ("Traversal", "commonpath"))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"path": "a.py", "line": 40, "title": "Path traversal"}, True),
        ({"path": "a.py", "line": 40 + NEAR, "title": "x", "fix": "use commonpath"}, True),
        ({"path": "b.py", "line": 7, "title": "x", "trigger": "a traversal"}, True),
        ({"path": "a.py", "line": 41 + NEAR, "title": "Path traversal"}, False),
        ({"path": "b.py", "line": 40, "title": "Path traversal"}, False),
        ({"path": "a.py", "line": 40, "title": "Slow"}, False),
        ({"path": "a.py", "line": 40, "title": "Slow", "quote": "commonpath()"}, False),
        ({"path": "a.py", "line": None, "title": "Path traversal"}, False),
    ],
)
def test_a_defect_is_named_by_place_and_word(given: dict[str, Any], named: bool) -> None:
    assert names_it(finding(**given), DEFECT, MATERIAL) is named


def test_without_words_the_place_decides() -> None:
    defect = replace(DEFECT, words=())
    assert names_it(finding("Anything", path="a.py", line=39), defect, MATERIAL)


@pytest.mark.parametrize(("old", "new"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (9, None)])
def test_a_removed_line_is_where_the_change_stands_now(old: int, new: int | None) -> None:
    assert new_line(MATERIAL, finding(path="a.py", line=old, side="LEFT")) == new
