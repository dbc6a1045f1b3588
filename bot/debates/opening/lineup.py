"""A request as its models play it: the template that fits them, its rounds and its parts, and the
most that they can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from bot.debates.opening.holders import Wish
from core.debate.events import DebateRequest
from core.debate.formats import FORMATS, PanelSize, Plan
from core.debate.formats.changes import most_parts
from core.debate.ports import Model
from core.debate.script import CONTESTED
from core.debate.template import Template

_SHARE_FOR_MATERIAL = 0.6
"""The material's share of the smallest context window in the cast; the rest is for the transcript,
the instruction and the answer.
"""
_MOST_MATERIAL = 60_000
"""The most tokens of material: more context made reviewers worse, not better (arXiv 2603.26130)."""
_DEMONSTRATED = 800
"""Tokens of a change that a demonstration reads: half a minute of the embedded model's work on two
cores.
"""
SMALL_WINDOW = 4000
"""Tokens of context below which a model counts as small, like the embedded model and local servers
that do not state their context.
"""


@dataclass(frozen=True, slots=True)
class Lineup:
    """A request and what it names: ``voices`` are the models that speak, ``idle`` those that do
    not, ``wishes`` the seats that a person or a program wants to hold.
    """

    request: DebateRequest
    template: Template
    voices: Sequence[Model]
    idle: Sequence[Model] = ()
    wishes: Sequence[Wish] = ()

    @property
    def is_demonstration(self) -> bool:
        """True if only the embedded model holds a review; it shows how a debate goes and has no
        judgement.
        """
        return self.template.findings and all(
            m.demo and m.window < SMALL_WINDOW for m in self.voices
        )

    @property
    def has_short_rounds(self) -> bool:
        """True if each phase gets one round only: in a small context a second exchange would not
        fit next to the first and only repeats it.
        """
        small = min(m.window for m in self.voices) < SMALL_WINDOW
        return small and self.request.rounds is None and self.template.format == "phased"

    @property
    def budget(self) -> int:
        """The most tokens of material that the models can read."""
        most = [_MOST_MATERIAL, *(int(m.window * _SHARE_FOR_MATERIAL) for m in self.voices)]
        if self.is_demonstration:
            most.append(_DEMONSTRATED)
        return min(most)

    @property
    def most_parts(self) -> int:
        """Into how many parts a large change may be split: more than one only if every critic opens
        on its own.
        """
        if self.is_demonstration or self.template.format not in ("phased", CONTESTED):
            return 1
        return most_parts(
            FORMATS[self.template.format].compile(self.template, self.plan(), Random(0))
        )

    def plan(self, form: PanelSize | None = None, rounds: int | None = None) -> Plan:
        """Returns the plan with the order of turns that a person requested; ``form`` and ``rounds``
        are a panel's, if no number of rounds was requested.
        """
        rounds = self.request.rounds or rounds
        if self.has_short_rounds:
            rounds = len(self.template.phases)
        openings = int(self.request.extras.get("openings", "") or 0) or None
        plan = Plan(rounds=rounds, mode=self.template.consensus, form=form, openings=openings)
        return plan.speaking(self.request.extras.get("turns", ""))
