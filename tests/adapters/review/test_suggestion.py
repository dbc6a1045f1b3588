"""A fix is a suggestion only where its old lines are the very lines of the change."""

from __future__ import annotations

import pytest

from adapters.review.suggestion import suggestion
from tests.adapters.review.samples import FIX, injection, material, numbered

LINE = '    row = pool.run("select " + name)'


def fix(*lines: str) -> str:
    return "\n".join(("Do this.", "```diff", *lines, "```"))


def test_one_line_and_several() -> None:
    assert suggestion(material(), injection()) == (11, 11, '    row = pool.run("select ?", name)')
    both = fix("     pool = connect()", f"-{LINE}", "+    row = None")
    assert suggestion(material(), injection(fix=both)) == (
        10,
        11,
        "    pool = connect()\n    row = None",
    )


def test_lines_can_be_deleted() -> None:
    gone = fix("-    if row is None:", "-        raise KeyError")
    assert suggestion(material(), injection(line=12, fix=gone)) == (12, 13, "")


@pytest.mark.parametrize(
    "broken",
    [
        "Bind the name.",
        FIX.replace("select ", "choose "),  # other text
        FIX.replace("-    row", "-   row"),  # other indentation
        FIX.removesuffix("```"),  # cut off
        fix("+    added = only()"),  # nothing that could be replaced
        fix("row = 1"),  # no mark
        fix(f"-{LINE}", f"+{LINE}"),  # no change
        fix(f"-{LINE}", "+    \u202erow"),  # text that nobody sees
        fix(f"-{LINE}", "+    key = [redacted: aws]"),
        fix("-    pool.close()", "+    pass"),  # only in the old version
        fix("-# end", "+# the end"),  # not around the line that is cited
        fix(*[f"-{LINE}"] * 21),
    ],
)
def test_everything_else_is_none(broken: str) -> None:
    assert suggestion(material(), injection(fix=broken)) is None


def test_a_removed_line_takes_no_suggestion() -> None:
    assert suggestion(material(), injection(side="LEFT", line=11)) is None


@pytest.mark.parametrize(("count", "fits"), [(1, True), (20, True), (21, False)])
def test_a_long_fix_is_no_suggestion(count: int, fits: bool) -> None:
    text = fix(*(f"-line {n}" for n in range(1, count + 1)))
    made = suggestion(numbered(("x.py", range(1, 31))), injection(path="x.py", line=1, fix=text))
    assert made == ((1, count, "") if fits else None)


@pytest.mark.parametrize(("first", "last"), [(1, 1), (1, 5), (3, 4), (5, 5)])
def test_a_fix_may_begin_and_end_with_its_hunk(first: int, last: int) -> None:
    change = numbered(("x.py", range(1, 6)))
    text = fix(*(f"-line {n}" for n in range(first, last + 1)), "+other")
    for line in range(1, 6):
        made = suggestion(change, injection(path="x.py", line=line, fix=text))
        assert made == ((first, last, "other") if first <= line <= last else None)


def test_a_fix_does_not_leave_out_what_stands_between() -> None:
    for numbers, path, line, text in (
        ((1, 2, 4), "x.py", 2, fix("-line 2", "-line 4", "+other")),
        ((1,), "x.py", 1, fix("-line 1", "line")),
        ((2,), "y.py", 2, fix("-line 2")),
    ):
        raised = injection(path=path, line=line, fix=text)
        assert suggestion(numbered(("x.py", numbers)), raised) is None
