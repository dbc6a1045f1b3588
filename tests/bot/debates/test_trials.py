"""A trial with the scripted model leaves nothing to chance: the same command shows the same
debate.
"""

from __future__ import annotations

from bot.wire.parts import Parts
from core.debate.state import Debate
from core.words.outcome import outcome
from tests.bot.conftest import held

CHANGE = "examples/02-remember-rights.diff"


async def test_the_same_change_is_debated_the_same_way_twice(parts: Parts) -> None:
    first, second = [await debated(parts) for _ in range(2)]
    assert first.id != second.id
    assert first.concluded is not None
    assert second.concluded is not None
    assert first.concluded.decision == second.concluded.decision
    assert spoken(first) == spoken(second) != []


async def debated(parts: Parts) -> Debate:
    return await held(parts, "code_review", CHANGE, fresh=True, files=True)


def spoken(debate: Debate) -> list[object]:
    return [turn for at in outcome(debate)["rounds"] for turn in at["turns"]]
