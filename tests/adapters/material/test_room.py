"""How much room the code around a change has, in what the change leaves of the budget."""

from __future__ import annotations

from dataclasses import replace

from adapters.material.surroundings import room_around
from core.debate.material import Material, MaterialKind, Part
from core.debate.material.coverage import tokens_in


def change(text: str = "", body: str = "", guidelines: str = "") -> Material:
    return Material(MaterialKind.DIFF, "T", text, body=body, guidelines=guidelines)


def test_it_is_a_share_of_the_budget_up_to_a_limit() -> None:
    shares = {0: 0, 100: 3 * 15, 1000: 3 * 150, 40_000: 18_000, 1_000_000: 18_000}
    assert {budget: room_around(change(), budget) for budget in shares} == shares


def test_the_change_itself_goes_first() -> None:
    texts = {"text": "x" * 300, "body": "y" * 200, "guidelines": "z" * 100}
    taken = tokens_in(texts["text"]) + tokens_in(texts["body"] + texts["guidelines"])
    assert room_around(change(**texts), taken + 10) == 3 * 10
    assert room_around(change(**texts), taken) == 0
    assert room_around(change(**texts), taken - 10) == 0


def test_what_is_read_in_parts_has_no_room_for_more() -> None:
    assert room_around(replace(change(), parts=(Part("a", ()),)), 1000) == 0
