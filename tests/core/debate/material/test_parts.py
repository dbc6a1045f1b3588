"""A change that is too large for one reading: every line stands in one part, or is named."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.material import Read
from core.debate.material.coverage import FileCandidate, fit, tokens_in
from core.debate.material.diffs import LEGEND, text_as_file
from core.debate.material.parts import fit_in_parts
from tests.drawn import drawn

FILES = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 400)), min_size=1, max_size=12)


def offered(files: list[tuple[int, int]]) -> list[FileCandidate]:
    return [
        FileCandidate(text_as_file(f"f{n}.md", [f"word {n}:{at} " for at in range(length)]), rank)
        for n, (rank, length) in enumerate(files)
    ]


@drawn(15)
@given(FILES, st.integers(900, 3000), st.integers(1, 30))
def test_every_line_is_in_one_part_or_its_file_is_named(
    files: list[tuple[int, int]], budget: int, most: int
) -> None:
    fitted = fit_in_parts(offered(files), budget, most)
    assert len(fitted.parts) <= most
    texts = [part.text for part in fitted.parts] or [fitted.text]
    for text in fitted.parts and texts:
        assert tokens_in(f"{fitted.text}\n\n{text}") <= budget
    lines = Counter(line.text for hunk in fitted.hunks for line in hunk.lines)
    assert set(lines.values()) <= {1}
    for (_, length), (n, one) in zip(files, enumerate(fitted.coverage), strict=True):
        laid = [at for at in range(length) if any(f" word {n}:{at}\n" in f"{t}\n" for t in texts)]
        assert [at for at in range(length) if f"word {n}:{at} " in lines] == laid
        whole = {0: Read.LEFT_OUT, length: Read.FULL}
        assert one.state is whole.get(len(laid), Read.PARTIAL)
        assert (one.reason == "") is (one.state is Read.FULL)
        for part in fitted.parts:
            assert (one.path in part.paths) is (f"=== {one.path}" in part.text)


@drawn(15)
@given(FILES)
def test_what_fits_is_shown_as_it_always_was(files: list[tuple[int, int]]) -> None:
    candidates = offered(files)
    assert fit_in_parts(candidates, 100_000, 5) == fit(candidates, 100_000)
    assert fit_in_parts(candidates, 1000, 1) == fit(candidates, 1000)


def test_a_line_that_fits_into_no_part_is_named_in_one_reading() -> None:
    candidates = [FileCandidate(text_as_file("min.js", ["x" * 9000]))]
    fitted = fit_in_parts(candidates, 1000, 4)
    assert fitted == fit(candidates, 1000)
    assert fitted.coverage[0].state is Read.LEFT_OUT


def test_long_lines_are_laid_into_parts_in_smaller_pieces() -> None:
    lines = ["x" * 900, *(f"{n} " + "word " * 60 for n in range(100)), "y" * 9000, "end"]
    fitted = fit_in_parts([FileCandidate(text_as_file("long.md", lines))], 1000, 40)
    laid = [line.text for hunk in fitted.hunks for line in hunk.lines]
    assert laid == [line for line in lines if len(line) < 9000]
    assert fitted.coverage[0].state is Read.PARTIAL
    assert all(part.text.startswith(f"Part {n} of ") for n, part in enumerate(fitted.parts, 1))


def test_what_no_part_holds_is_named() -> None:
    fitted = fit_in_parts(offered([(0, 200), (0, 200), (1, 200), (2, 2000)]), 2000, 3)
    assert [len(part.paths) for part in fitted.parts] == [1, 1, 1]
    assert fitted.parts[1].text.startswith("Part 2 of 3\n\n=== f1.md (document)\n")
    assert fitted.coverage[3].state is Read.LEFT_OUT
    assert fitted.text == (
        "Line numbers: new side for '+' and unchanged lines (RIGHT), old side for '-' lines "
        "(LEFT). Cite as path:line.\n\n"
        "The change is read in 3 parts:\n- part 1: f0.md\n- part 2: f1.md\n- part 3: f2.md\n\n"
        "Not read, or read in part:\n- f3.md: left out, beyond the model's budget"
    )


def test_a_part_leaves_room_for_the_names_of_all_files() -> None:
    room = 1000 - 2 * 100 - tokens_in(LEGEND)
    largest = 0
    for length in range(60, 240):
        fitted = fit_in_parts(offered([(0, length), (0, length)]), 1000, 9)
        largest = max([largest, *(tokens_in(part.text) for part in fitted.parts)])
    assert room - 20 < largest <= room


def test_two_parts_are_parts_and_one_is_none() -> None:
    candidates = offered([(0, 400), (0, 400)])
    assert len(fit_in_parts(candidates, 1500, 2).parts) == 2
    assert fit_in_parts(candidates, 1500, 1).parts == ()


@pytest.mark.parametrize("budget", [400, 1000])
def test_files_that_do_not_fit_are_named_within_the_budget(budget: int) -> None:
    fitted = fit(offered([(0, 40), (1, 400)]), budget)
    assert tokens_in(fitted.text) <= budget
    assert "\n- f1.md: " in fitted.text


def test_a_file_that_is_left_out_is_named_even_where_all_others_fit() -> None:
    candidates = offered([(0, 2), (0, 2)])
    assert fit(candidates, 10_000).text.startswith(LEGEND)
    left_out = FileCandidate(candidates[1].file, left_out="generated")
    text = fit([candidates[0], left_out], 10_000).text
    assert "=== f0.md" in text
    assert text.endswith("Not read, or read in part:\n- f1.md: left out, generated")
