"""The page for those who review the bot names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project import ROOT
from tests.trust.without import DEFENCES

PAGE = (Path(ROOT) / "SECURITY.md").read_text("utf-8")
_TEST = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
_FAULTS = "## What a review of the bot found, and what holds"
FAULTS = 15
"""Lines of the review that this folder answers; later ones come on top."""


def defined(folder: str) -> set[str]:
    files = (Path(ROOT) / "tests" / folder).rglob("test_*.py")
    return {name for file in files for name in _TEST.findall(file.read_text("utf-8"))}


def section(title: str) -> list[list[str]]:
    """Returns the rows of a section's table, as cells."""
    text = PAGE.split(title)[1].split("\n## ")[0]
    rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line][1:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("title", ["## Who could do harm", _FAULTS, "## Attacked without success"])
def test_no_row_stands_there_twice(title: str) -> None:
    rows = section(title)
    assert len({tuple(row[:2]) for row in rows}) == len(rows) > 5


def named(text: str) -> set[str]:
    return set(re.findall(r"`(test_\w+)`", text))


def test_every_threat_names_tests_that_are_there() -> None:
    rows = section("## Who could do harm")
    assert len(rows) >= 15
    assert all(named(row[-1]) for row in rows)
    assert set().union(*(named(row[-1]) for row in rows)) - defined("trust") == set()


def test_every_fault_has_a_test_and_one_through_a_surface() -> None:
    rows = section(_FAULTS)
    assert len(rows) >= FAULTS
    for fault, _, tests, surfaces in rows:
        assert named(tests), fault
        assert named(surfaces), fault
    everywhere = defined(".")
    assert {name for row in rows for name in named(" ".join(row))} - everywhere == set()


def test_what_was_attacked_without_success_names_its_tests() -> None:
    rows = section("## Attacked without success")
    assert len(rows) >= 1
    for attacked, *_, tests in rows:
        assert named(tests), attacked
        assert named(tests) - defined(".") == set(), attacked


def test_each_defence_that_was_attacked_can_be_taken_away() -> None:
    """`python -m tests.trust.without` takes them away; this test checks that each change would
    still apply.
    """
    for defence in DEFENCES:
        for file, old, _ in defence.taken:
            whole = (Path(ROOT) / file).read_text("utf-8")
            assert whole.count(old) == 1, (defence.name, file, old)
    taken = {each.name for each in DEFENCES}
    unbroken = [
        row[0] for row in section("## Attacked without success") if not named(row[-1]) & taken
    ]
    assert unbroken == []
