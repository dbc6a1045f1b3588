"""A fix is a suggestion only where its old lines are the very lines of the change."""

from __future__ import annotations

import pytest

from adapters.review.suggestion import Suggestion, suggestion
from tests.adapters.review.samples import FIX, injection, material

LINE = '    row = pool.run("select " + name)'


def fix(*lines: str) -> str:
    return "\n".join(("Do this.", "```diff", *lines, "```"))


def test_one_line_and_several() -> None:
    assert suggestion(material(), injection()) == Suggestion(
        11, 11, '    row = pool.run("select ?", name)'
    )
    both = fix("     pool = connect()", f"-{LINE}", "+    row = None")
    assert suggestion(material(), injection(fix=both)) == Suggestion(
        10, 11, "    pool = connect()\n    row = None"
    )


def test_lines_can_be_deleted() -> None:
    gone = fix("-    if row is None:", "-        raise KeyError")
    assert suggestion(material(), injection(line=12, fix=gone)) == Suggestion(12, 13, "")


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
