"""The page for those who review the bot names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

from tests.project import ROOT

PAGE = (Path(ROOT) / "SECURITY.md").read_text("utf-8")


def test_every_threat_names_tests_that_are_there() -> None:
    files = (Path(ROOT) / "tests" / "trust").glob("test_*.py")
    there = {
        name
        for file in files
        for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)
    }
    rows = [line for line in PAGE.splitlines() if line.startswith("|") and "`test_" in line]
    assert len(rows) >= 13
    named = {name for row in rows for name in re.findall(r"`(test_\w+)`", row)} - {"test_attacks"}
    assert named - there == set()


def test_no_threat_goes_without_a_test() -> None:
    table = PAGE.split("## Who could do harm")[1].split("## What is not promised")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ") and "---" not in line][1:]
    assert all("`test_" in row for row in rows)
