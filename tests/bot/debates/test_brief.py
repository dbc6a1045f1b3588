"""The notes that a person reads before a debate begins."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from bot.debates.opening.brief import brief_of, material_lines, model_lines
from core.debate.material import Coverage, Read
from core.debate.script import Seat, SeatId
from core.languages import speaking
from tests.storage.samples import opened


def test_seats_of_one_family_are_warned_of() -> None:
    begun, critic, author = opened(), SeatId("critic"), SeatId("author")
    script = replace(begun.script, seats=(Seat(critic, "critic"), Seat(author, "author")))
    begun = replace(begun, script=script, cast={critic: ("a1",), author: ("b1",)})
    for other, demo, warned in (
        ("b", False, False),
        ("a", False, True),
        ("b", True, False),
        ("a", True, False),  # a demonstration has one model
    ):
        families = {"a1": "a", "b1": other}
        voices: Any = [SimpleNamespace(name=name, family=one) for name, one in families.items()]
        debate = replace(begun, terms=replace(begun.terms, demo=demo))
        texts = list(model_lines(debate, voices, ()))
        assert texts[0] == "models a1, b1"
        assert any("one model family" in text for text in texts) is warned


def test_notes_and_reasons_of_the_material_are_in_the_readers_language() -> None:
    material = replace(
        opened().material,
        notes=("Decided here before: go (1 Nov 2026, “A”).",),
        coverage=(Coverage("a.bin", Read.LEFT_OUT, "binary"),),
    )
    with speaking("cs"):
        texts = material_lines("code_review", material)
    assert texts[1] == "Dříve zde rozhodnuto: ano (1. 11. 2026, „A“)."
    assert texts[2] == "  a.bin: vynecháno (binární)"


def test_why_these_models_speak_is_said_in_the_readers_language() -> None:
    request = SimpleNamespace(search=False)
    lineup: Any = SimpleNamespace(voices=(), idle=(), request=request, has_short_rounds=False)
    because = "podle DEBATE_MODELS"
    for language, words in (("en", "models chosen"), ("cs", "zvolené modely")):
        with speaking(language):
            brief = brief_of(
                lineup,
                opened(),
                None,
                searchers=(),
                search_enabled=False,
                chosen_because=because,
            )
            assert f"{words}: {because}" in brief.others
