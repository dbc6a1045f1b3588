"""The lines of a diff near a place, in pieces, and as far as a budget allows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.diffs.patches import parse
from core.debate.material import Hunk, Line, Material, MaterialKind, Read
from core.debate.material.coverage import FileCandidate, fit, tokens_in
from core.debate.material.diffs import FileDiff, hunk_near, render, split_hunk, text_as_file

DIFF = b"""diff --git a/src/x.py b/src/x.py
--- a/src/x.py
+++ b/src/x.py
@@ -10,5 +10,6 @@ def load(path):
 def load(path):
-    with open(path) as file:
-        return file.read()
+    file = open(path)
+
+    return file.read()  # \xe2\x80\xae evil
     # end
\x20
"""


@pytest.fixture(scope="module")
def material() -> Material:
    files = parse(DIFF).files
    fitted = fit([FileCandidate(file) for file in files], 10_000)
    return Material(MaterialKind.DIFF, "x", fitted.text, hunks=fitted.hunks)


def test_the_hunk_near_a_line(material: Material) -> None:
    expected = "@@ -10,5 +10,6 @@ def load(path):\n   11 - {}\n   12 - {}\n   11 + {}".format(
        "    with open(path) as file:", "        return file.read()", "    file = open(path)"
    )
    hunk = hunk_near(material, "src/x.py", 12, "LEFT", 1)
    assert hunk is not None
    assert (hunk.path, render(hunk)) == ("src/x.py", expected)
    for path, line in (("src/x.py", 99), ("other.py", 11), ("src/x.py", None)):
        assert hunk_near(material, path, line, "RIGHT", 20) is None


def test_a_place_in_a_large_new_file_is_found_without_a_look_at_each_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = tuple(Line("+", f"line {n}", new=n) for n in range(5, 60_005))
    hunk, looks, number_on = Hunk("x", "@@ -0,0 +5,60000 @@", lines), [], Line.number_on

    def looked(line: Line, side: str) -> int | None:
        looks.append(line)
        return number_on(line, side)

    monkeypatch.setattr(Line, "number_on", looked)
    material = Material(MaterialKind.DIFF, "x", "", hunks=tuple(split_hunk(hunk, 1_000)))
    near = hunk_near(material, "x", 40_000, "RIGHT", context=1)
    assert near is not None
    assert [line.new for line in near.lines] == [39_999, 40_000, 40_001]
    assert len(looks) < 200


@given(st.lists(st.sampled_from("+- "), max_size=60), st.sampled_from(["LEFT", "RIGHT"]))
def test_a_place_is_found_wherever_it_stands(marks: list[str], side: str) -> None:
    lines, old, new = [], 7, 3
    for mark in marks:
        lines.append(Line(mark, "x", None if mark == "+" else old, None if mark == "-" else new))
        old, new = old + (mark != "+"), new + (mark != "-")
    material = Material(MaterialKind.DIFF, "x", "", hunks=(Hunk("x", "@@", tuple(lines)),))
    for number in range(75):
        near = hunk_near(material, "x", number, side, context=0)
        assert [one for one in lines if one.number_on(side) == number] == list(
            near.lines if near is not None else ()
        )


@given(st.integers(1, 400), st.integers(1, 90))
def test_pieces_hold_every_line_once_with_true_headers(count: int, longest: int) -> None:
    lines = tuple(Line("+", f"line {n}", new=n) for n in range(1, count + 1))
    pieces = list(split_hunk(Hunk("x", f"@@ -0,0 +1,{count} @@", lines), longest))
    assert [line for piece in pieces for line in piece.lines] == list(lines)
    assert all(len(piece.lines) <= longest for piece in pieces)
    if len(pieces) > 1:
        assert pieces[1].header.startswith(
            f"@@ -0,0 +{longest + 1},{len(pieces[1].lines)} @@ (piece 2 of {len(pieces)})"
        )


FILES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 200), st.sampled_from(["", "", "", "binary"])),
    min_size=1,
    max_size=12,
)


@given(FILES, st.integers(100, 4000))
def test_the_budget_holds_and_every_file_is_accounted_for(
    files: list[tuple[int, int, str]], budget: int
) -> None:
    offered = [
        FileCandidate(
            text_as_file(f"f{index}.md", [f"word {n}" for n in range(length)]), rank, reason
        )
        for index, (rank, length, reason) in enumerate(files)
    ]
    fitted = fit(offered, budget)
    assert tokens_in(fitted.text) <= budget
    assert [one.path for one in fitted.coverage] == [one.file.path for one in offered]
    read: dict[str, list[int]] = {}
    for hunk in fitted.hunks:
        read.setdefault(hunk.path, []).extend(line.new or 0 for line in hunk.lines)
        assert render(hunk) in fitted.text
    for one, (_, length, reason) in zip(fitted.coverage, files, strict=True):
        numbers = read.get(one.path, [])
        assert numbers == sorted(set(numbers))
        match one.state:
            case Read.FULL:
                assert len(numbers) == length
            case Read.PARTIAL:
                assert 0 < len(numbers) < length
                assert f"{len(numbers):,} of {length:,} lines" in one.reason
            case Read.LEFT_OUT:
                assert not numbers
                assert one.reason == (reason or "beyond the model's budget")


def test_what_matters_most_is_read_first_and_the_rest_is_named() -> None:
    def file(path: str, lines: int) -> FileDiff:
        return text_as_file(path, [f"some words in line {n}" for n in range(lines)])

    offered = [
        FileCandidate(file("notes.md", 60), 4),
        FileCandidate(file("auth.py", 100), 0),
        FileCandidate(file("big.py", 400), 1),
    ]
    fitted = fit(offered, 2500)
    assert [(one.path, one.state, one.reason) for one in fitted.coverage] == [
        ("notes.md", Read.LEFT_OUT, "beyond the model's budget"),
        ("auth.py", Read.FULL, ""),
        ("big.py", Read.PARTIAL, "80 of 400 lines, the rest is beyond the model's budget"),
    ]
    assert fitted.text.index("=== auth.py") < fitted.text.index("=== big.py")
    assert fitted.text.endswith(
        "Not read, or read in part:\n"
        "- big.py: partial, 80 of 400 lines, the rest is beyond the model's budget\n"
        "- notes.md: left out, beyond the model's budget"
    )
