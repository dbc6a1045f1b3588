"""Whoever starts a debate reads that one model family tends to agree with itself."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.debates.opening.brief import model_notes
from core.debate.script import Seat, SeatId
from tests.storage.samples import opened


@pytest.mark.parametrize(
    ("families", "demo", "warned"),
    [
        ({"a1": "a", "b1": "b"}, False, False),
        ({"a1": "a", "b1": "a"}, False, True),
        ({"a1": "a", "b1": "b"}, True, False),
        ({"a1": "a", "b1": "a"}, True, False),  # a demonstration has one model
    ],
)
def test_seats_of_one_family_are_warned_of(
    families: dict[str, str], demo: bool, warned: bool
) -> None:
    begun = opened()
    critic, author = SeatId("critic"), SeatId("author")
    begun = replace(
        begun,
        script=replace(begun.script, seats=(Seat(critic, "critic"), Seat(author, "author"))),
        cast={critic: ("a1",), author: ("b1",)},
        terms=replace(begun.terms, demo=demo),
    )
    voices: Any = [SimpleNamespace(name=name, family=one) for name, one in families.items()]
    texts = [note.text for note in model_notes(begun, voices, ())]
    assert texts[0] == "models a1, b1"
    assert any("one model family" in text for text in texts) is warned
