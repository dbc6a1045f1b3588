"""Formats decide how turns are taken: each is a module that compiles a template into a script and
is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from random import Random
from types import MappingProxyType
from typing import Final

from core.debate.formats.plan import ROTATING, PanelSize, Plan
from core.debate.script import Script
from core.debate.template import Template

__all__ = ["FORMATS", "ROTATING", "Format", "PanelSize", "Plan"]

_Compile = Callable[[Template, Plan, Random], Script]


@dataclass(frozen=True, slots=True)
class Format:
    """``compile`` raises ``BadInput`` when the template or the plan cannot be played in this
    format.

    Same arguments, same script.
    """

    name: str
    summary: str
    compile: _Compile


def _format(name: str, summary: str) -> Format:
    def compile(template: Template, plan: Plan, rng: Random) -> Script:
        play: _Compile = import_module(f"{__name__}.{name}").compile
        return play(template, plan, rng)

    return Format(name, summary, compile)


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        f.name: f
        for f in (
            _format(
                "phased",
                "phases with active roles; inside a phase all at once, one after another or "
                "round a sparse ring",
            ),
            _format(
                "contested",
                "openings that nobody influenced; what they contest is answered by the author and "
                "argued in at most two rounds",
            ),
            _format(
                "triad",
                "three hidden participants: blind openings, a hot seat for each, closings, "
                "synthesis, reveal",
            ),
            _format(
                "critique", "propose, criticise, revise; each round under another way of thinking"
            ),
            _format(
                "adversarial",
                "two seats in typed arguments: proposal, challenge, defense, counter, resolution",
            ),
            _format(
                "panel",
                "proponent and opponent under a moderator; advocate, critic and refiner join on "
                "hard questions",
            ),
            _format(
                "gauntlet",
                "a claim, plan or change under attack by category: attack, defence, press, grade",
            ),
        )
    }
)
