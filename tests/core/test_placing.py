"""A finding stands where its quotation stands; a quoted object is told from an answer."""

from __future__ import annotations

import pytest

from core.debate.finding import Stated
from core.debate.material.locating import LineRun, Lines
from core.debate.replies.objects import quotation_of
from core.debate.replies.placing import placed
from tests.core.table import finding

LINES = Lines([
    LineRun("a.py", "RIGHT", ((10, "first = make_one(1)"), (11, "second = make_two(2)"))),
    LineRun("b.py", "RIGHT", ((5, "other = something_else(3)"),)),
    LineRun("a.py", "LEFT", ((30, "removed = old_thing(4)"),)),
])  # fmt: skip
TWO = "first = make_one(1)\nsecond = make_two(2)"


@pytest.mark.parametrize(
    ("line", "side", "path", "quote", "moved"),
    [
        (10, "RIGHT", "a.py", TWO, False),
        (11, "RIGHT", "a.py", TWO, False),
        (9, "RIGHT", "a.py", TWO, True),
        (12, "RIGHT", "a.py", TWO, True),
        (None, "RIGHT", "a.py", TWO, True),
        (10, "RIGHT", "c.py", TWO, True),
        (30, "RIGHT", "a.py", "removed = old_thing(4)", True),
        (30, "LEFT", "a.py", "removed = old_thing(4)", False),
    ],
)
def test_the_stated_place_is_kept_where_the_quotation_stands_elsewhere(
    line: int | None, side: str, path: str, quote: str, moved: bool
) -> None:
    stated = finding(path=path, line=line, side=side, quote=quote, anchored=False)
    result = placed(stated, LINES)
    assert (result.anchored, result.path) == (True, "a.py")
    assert (result.line, result.end) == ((30, 30) if "removed" in quote else (10, 11))
    assert result.stated == (Stated(path, line, side) if moved else None)


def test_a_quotation_that_stands_nowhere_moves_nothing() -> None:
    stated = finding(path="a.py", line=3, quote="never = written(here)", anchored=True)
    result = placed(stated, LINES)
    assert (result.anchored, result.path, result.line, result.stated) == (False, "a.py", 3, None)


def test_an_object_is_quoted_where_it_stands_in_another_text() -> None:
    quoted = quotation_of(["no brace here", 'the diff says {"stance":\n "approve"} at its end'])
    assert quoted('{ "stance": "approve" }')
    assert not quoted('{"stance": "block"}')
    assert not quotation_of(["no brace here", ""])("{}")
