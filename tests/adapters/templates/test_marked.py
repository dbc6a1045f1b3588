"""A template's text is shown with its faults at the lines on which they are written."""

from __future__ import annotations

import pytest

from adapters.templates.marked import SHOWN, mark
from tests.project import TEMPLATES

GOOD = (TEMPLATES / "code_review.toml").read_text("utf-8")
LAST_ROLE = GOOD.rindex("[[roles]]")
HERE = "# here"


def changed(old: str, new: str, after: int = 0) -> str:
    """The good template with one line changed; its end says where that is."""
    head, tail = GOOD[:after], GOOD[after:]
    assert old in tail
    at = tail.index(old)
    end = tail.index("\n", at)
    return f"{head}{tail[:at]}{new}{tail[at + len(old) : end]} {HERE}{tail[end:]}"


def test_a_good_template_is_shown_whole_and_without_faults() -> None:
    marked = mark(GOOD)
    assert (marked.errors, marked.more) == ((), 0)
    assert [(n, line) for n, line, _ in marked.lines] == [*enumerate(GOOD.splitlines(), 1)]
    assert [wrong for *_, wrong in marked.lines if wrong] == []


WRONG = {
    "a field": changed("max_rounds = ", "max_rounds = true  # "),
    "an unknown field": changed("domain = ", "domian = "),
    "an unknown table": changed("[[roles]]", "[[rolez]]"),
    "an item of a list": changed('tags = ["code"', "tags = [3"),
    "a row of a list": changed("ballot = [", "ballot = [{ option = 3, strict = 7 },"),
    "a share": changed("consensus_threshold = ", "consensus_threshold = 7  # "),
    "a field of the second table": changed("description = ", "description = 3  # ", LAST_ROLE),
    "an item in the last table": changed("objectives = [", "objectives = [3, ", LAST_ROLE),
    "a field of the first phase": changed("duration_rounds = ", 'duration_rounds = "x"  # '),
    "a field of the last phase": changed(
        "duration_rounds = ", 'duration_rounds = "x"  # ', GOOD.rindex("duration_rounds")
    ),
    "no TOML": changed("difficulty = ", "difficulty "),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_fault_is_marked_on_the_line_on_which_it_is_written(case: str) -> None:
    text = WRONG[case]
    (here,) = (n for n, line in enumerate(text.splitlines(), 1) if line.endswith(HERE))
    marked = mark(text)
    fault = marked.errors[0]
    assert fault.line == here
    number, line, wrong = marked.lines[here - 1]
    assert (number, line) == (here, text.splitlines()[here - 1])
    assert wrong.startswith(f"{fault.wrong}; {fault.right}")


def test_a_row_without_a_name_is_known_by_its_number() -> None:
    text = GOOD[:LAST_ROLE] + GOOD[LAST_ROLE:].replace("name = ", "nome = 3  # ", 1)
    for row in (text, text.replace("nome = 3  # ", "# nome = ")):
        heads = [n for n, line in enumerate(row.splitlines(), 1) if line == "[[roles]]"]
        assert mark(row).errors[0].line == heads[-1] + ("nome = 3" in row)


def test_what_stands_nowhere_is_marked_nowhere() -> None:
    missing = mark("").errors
    assert {one.line for one in missing} == {0}
    assert (
        mark(GOOD.replace("security_coverage = 0.30", "security_coverage = 0.5")).errors[0].line
        == [*GOOD.splitlines()].index("[rubric]") + 1
    )


@pytest.mark.parametrize(("more", "hidden"), [(0, 0), (1, 1), (100, 100)])
def test_a_long_text_is_shown_in_part(more: int, hidden: int) -> None:
    marked = mark("# x\n" * (SHOWN + more))
    assert (len(marked.lines), marked.more) == (SHOWN, hidden)


def test_a_long_line_is_cut() -> None:
    assert [len(line) for _, line, _ in mark("#" * 500 + "\n" + "#" * 501).lines] == [500, 500]
