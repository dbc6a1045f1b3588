"""A template as a person reads it: what it is judged by, what its phases are for, how hard."""

from __future__ import annotations

import pytest

from adapters.commands import Templates
from adapters.ports.desk import Caller
from adapters.templates.catalogue import builtin
from bot.desk.templates import TemplateDesk

ANN = Caller("shell:ann", "shell:ann", "test:1")


@pytest.mark.parametrize("name", sorted(builtin()))
def test_rubric_objectives_phases_and_difficulty_are_shown(name: str) -> None:
    shown = TemplateDesk().show(Templates(name), ANN).text
    template = builtin()[name]
    for criterion, weight in template.rubric.items():
        assert f"{criterion.replace('_', ' ')} {weight:.0%}" in shown
    for phase in template.phases:
        assert f"- {phase.name.replace('_', ' ')}: {phase.duration_rounds} round" in shown
        assert all(objective in shown for objective in phase.objectives)
    assert f"Difficulty: {template.difficulty:g} of 1" in shown
