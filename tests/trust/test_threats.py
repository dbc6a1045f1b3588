"""The security page is one page for people, and each defence can be taken away by the program that
proves its test.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.project import ROOT
from tests.trust.without import DEFENCES

PAGE = (Path(ROOT) / "SECURITY.md").read_text("utf-8")
_TEST = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
MOST_WORDS = 800
"""A page that a team lead reads in a few minutes."""


def test_the_page_is_one_page_for_people() -> None:
    assert len(PAGE.split()) <= MOST_WORDS
    assert "test_" not in PAGE


def test_each_defence_can_be_taken_away() -> None:
    """``python -m tests.trust.without`` takes them away; this test checks that each change would
    still apply, and that the test which must then fail is there.
    """
    files = (Path(ROOT) / "tests").rglob("test_*.py")
    known = {name for file in files for name in _TEST.findall(file.read_text("utf-8"))}
    for defence in DEFENCES:
        assert defence.name in known, defence.test
        for file, old, _ in defence.taken:
            whole = (Path(ROOT) / file).read_text("utf-8")
            assert whole.count(old) == 1, (defence.name, file, old)
