"""A finding names a known defect by place and by words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.debate.material import Hunk, Line, Material, MaterialKind
from core.evaluation import Defect, Spot
from core.evaluation.arms import NEAR, at_it, new_line, says_it
from tests.core.table import finding

LINES = (
    Line(" ", "a", 1, 1),
    Line("-", "b", 2, None),
    Line("-", "c", 3, None),
    Line("+", "d", None, 2),
    Line(" ", "e", 4, 3),
    Line("-", "f", 5, None),
)
MATERIAL = Material(MaterialKind.DIFF, "", "", hunks=(Hunk("a.py", "", LINES),))
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
    one_finding = finding(**given)
    assert (at_it(one_finding, DEFECT, MATERIAL) and says_it(one_finding, DEFECT)) is named


@pytest.mark.parametrize(
    ("line", "there"), [(6, False), (7, True), (30, True), (33, True), (34, False)]
)
def test_a_place_may_be_several_lines(line: int, there: bool) -> None:
    defect = replace(DEFECT, spots=(Spot("a.py", 10, 30),))
    assert at_it(finding("Anything", path="a.py", line=line), defect, MATERIAL) is there


def test_words_are_looked_for_whatever_the_place() -> None:
    assert says_it(finding("Path traversal", path="c.py", line=900), DEFECT)
    assert not says_it(finding("Slow", path="a.py", line=40, quote="commonpath()"), DEFECT)


@pytest.mark.parametrize(("old", "new"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (9, None)])
def test_a_removed_line_is_where_the_change_stands_now(old: int, new: int | None) -> None:
    assert new_line(MATERIAL, finding(path="a.py", line=old, side="LEFT")) == new
