"""A finding's fix as a patch: git applies it to the new version, and the result is the fix."""

from __future__ import annotations

import difflib
import subprocess
from pathlib import Path

import pytest

from adapters.review.suggestion import patch_of
from tests.adapters.review.samples import FIX, injection, material, numbered

BEFORE = "".join(f"# {n}\n" for n in range(1, 8))
BAD, GOOD = '    row = pool.run("select " + name)', '    row = pool.run("select ?", name)'


def test_git_applies_the_patch(tmp_path: Path) -> None:
    hunk = material().hunks[0]
    new = BEFORE + "".join(f"{x.text}\n" for x in hunk.lines if x.new is not None)
    file = tmp_path / "app" / "db.py"
    file.parent.mkdir()
    file.write_text(new, "utf-8")
    patch = patch_of(material(), injection())
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=tmp_path, check=True)
    assert file.read_text("utf-8") == new.replace(BAD, GOOD)
    assert new.count(BAD) == 1


def test_what_does_not_stand_in_the_change_is_no_patch() -> None:
    assert patch_of(material(), injection(fix="Bind the name.")) == ""
    assert patch_of(material(), injection(fix=FIX.replace("-    row", "-   row"))) == ""
    assert patch_of(material(), injection(path="app/other.py")) == ""


@pytest.mark.parametrize("count", [2, 7, 12])
@pytest.mark.parametrize("new", [("a",), ("a", "b", "c")])
def test_a_patch_has_three_lines_around_it_as_diff_makes_it(
    count: int, new: tuple[str, ...]
) -> None:
    lines = [f"line {n}" for n in range(1, count + 1)]
    for first in range(1, count + 1):
        for last in range(first, min(first + 2, count) + 1):
            fixed = [*lines[: first - 1], *new, *lines[last:]]
            if len(fixed) == 1:
                continue  # diff writes a single line's number without its length
            fix = "\n".join(
                (*(f"-line {n}" for n in range(first, last + 1)), *(f"+{x}" for x in new))
            )
            raised = injection(path="x.py", line=first, fix=f"```diff\n{fix}\n```")
            expected = difflib.unified_diff(lines, fixed, "a/x.py", "b/x.py", lineterm="")
            assert patch_of(numbered(("x.py", range(1, count + 1))), raised).splitlines() == [
                *expected
            ]


def test_a_patch_stands_in_the_hunk_that_holds_its_lines() -> None:
    change = numbered(("y.py", range(1, 31)), ("x.py", range(1, 6)), ("x.py", range(20, 26)))
    fix = "```diff\n-line 24\n+other\n```"
    assert patch_of(change, injection(path="x.py", line=24, fix=fix)).splitlines()[:4] == [
        "--- a/x.py",
        "+++ b/x.py",
        "@@ -21,5 +21,5 @@",
        " line 21",
    ]


@pytest.mark.parametrize("path", ["a\tb.py", 'a"b.py', "a\\b.py"])
def test_a_path_that_a_patch_would_quote_has_none(path: str) -> None:
    fix = "```diff\n-line 2\n+other\n```"
    assert patch_of(numbered((path, range(1, 4))), injection(path=path, line=2, fix=fix)) == ""


def test_a_fix_that_only_deletes_is_no_patch() -> None:
    change = numbered(("x.py", range(1, 4)))
    assert patch_of(change, injection(path="x.py", line=2, fix="```diff\n-line 2\n```")) == ""
