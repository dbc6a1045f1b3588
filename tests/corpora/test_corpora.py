"""Everything that is made of the drawn cases is what was recorded of it."""

from __future__ import annotations

import pytest

from tests.corpora.recording import CORPORA, SHARE, digest, recorded

PARTS = [(name, at) for name, (count, _) in CORPORA.items() for at in range(0, count, SHARE)]


@pytest.mark.parametrize(("name", "first"), PARTS)
def test_what_is_made_of_a_case_is_what_was_recorded(name: str, first: int) -> None:
    kept = recorded(name)
    assert len(kept) == CORPORA[name][0]
    others = [
        number
        for number, before in enumerate(kept[first : first + SHARE], first)
        if digest(name, number) != before
    ]
    assert others == [], "see `python -m tests.corpora FOLDER` before and after, then record"
