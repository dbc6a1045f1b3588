"""Everything that is made of the drawn cases is what was recorded of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.corpora.recording import CORPORA, digest, is_quick, recorded

_SHARE = 15
"""Cases of one test."""


def _parts(*, quick: bool) -> list[object]:
    parts: list[object] = []
    for name, (count, _) in CORPORA.items():
        numbers = [number for number in range(count) if is_quick(name, number) is quick]
        for at in range(0, len(numbers), _SHARE):
            part = numbers[at : at + _SHARE]
            parts.append(pytest.param(name, part, id=f"{name}-{part[0]}"))
    return parts


def _others(name: str, numbers: Sequence[int]) -> list[int]:
    kept = recorded(name)
    assert len(kept) == CORPORA[name][0]
    return [number for number in numbers if digest(name, number) != kept[number]]


_THEN = "see `python -m tests.corpora FOLDER` before and after, then record"


@pytest.mark.parametrize(("name", "numbers"), _parts(quick=True))
def test_what_is_made_of_a_case_is_what_was_recorded(name: str, numbers: Sequence[int]) -> None:
    assert _others(name, numbers) == [], _THEN


@pytest.mark.faults
@pytest.mark.parametrize(("name", "numbers"), _parts(quick=False))
def test_what_is_made_of_the_other_cases_is_too(name: str, numbers: Sequence[int]) -> None:
    assert _others(name, numbers) == [], _THEN
