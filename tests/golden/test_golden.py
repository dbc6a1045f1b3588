"""Whole outputs are what a person last read and agreed to."""

from __future__ import annotations

import pytest

from tests.golden.written import FOLDER, TEXTS, written


@pytest.mark.parametrize("name", TEXTS)
def test_an_output_is_the_text_that_was_agreed_to(name: str) -> None:
    """If a change is wanted: ``python -m tests.golden``, and read the difference."""
    assert written(name) == (FOLDER / name).read_text("utf-8")


def test_every_text_belongs_to_an_output() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {*TEXTS}
