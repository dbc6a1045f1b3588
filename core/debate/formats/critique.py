"""Propose at once, criticise, revise: each round uses another way of thinking, so that later rounds
do not repeat earlier ones.

There are at most nine rounds; rules elsewhere judge convergence after each, and all readers of a
round wait for the whole of it, so that the judgement comes in time. If there are more models than
roles, several seats share a role, as far as a script has room.
"""

from __future__ import annotations

from itertools import cycle, islice
from random import Random
from typing import Any

from core.debate.errors import BadInput
from core.debate.formats.draft import Draft, brief, heading
from core.debate.formats.plan import Plan
from core.debate.script import MAX_TURNS, About, Script, Topic
from core.debate.template import Role, Template

_MOST_ROUNDS = 9
_CLOSING = 7
"""The most turns that the closing takes: three judges in both orders, and the chair."""


_LENSES = {
    "analyst": "Take the question apart: what is known, what is assumed, what follows.",
    "skeptic": "Doubt every claim that has no evidence; ask what would show it false.",
    "lateral_thinker": (
        "Leave the frame: which option has nobody named, which premise could be dropped?"
    ),
    "devils_advocate": "Make the strongest case against the option that is ahead.",
    "integrator": "Join what fits together; name what truly conflicts.",
    "quality_challenger": (
        "Cross-examine: vague terms, missing numbers, steps that do not follow."
    ),
    "synthesizer": "Bring what has survived into one position; say what it gave up.",
    "pragmatist": "Ask who does what on the first day, at what cost, and how it is undone.",
    "finisher": "Close what can be closed; leave each open point with what would resolve it.",
}
"""The ways of thinking that rounds ask for, and what each looks for."""


def compile(template: Template, plan: Plan, rng: Random) -> Script:
    """Builds one round of proposals, then rounds of critique and revision. Raises ``BadInput``."""
    lenses = _lenses(template)
    rounds = plan.rounds_within(template.max_rounds, min(_MOST_ROUNDS, len(lenses)))
    if len(template.roles) < 2:
        raise BadInput("this format needs at least two roles")
    draft = Draft(template.format, rng)
    seats = [draft.seat(r.name, text=brief(r)) for r in _held(template.roles, plan.voices, rounds)]
    (first, looks_for), *later = lenses[:rounds]
    draft.round("Proposals", "propose", looks_for)
    latest = [draft.say(s, "propose", independent=True, about=_about(first)) for s in seats]
    for name, looks_for in later:
        draft.round(heading(name), name, looks_for)
        critiques = [draft.say(s, "criticise", latest, about=_about(name)) for s in seats]
        latest = [draft.say(s, "revise", (*latest, *critiques), about=_about(name)) for s in seats]
    draft.close(template, plan)
    return draft.script()


def _held(roles: tuple[Role, ...], voices: int | None, rounds: int) -> list[Role]:
    """Assigns a role to each seat: every role once, then again from the first while models and
    turns are left.
    """
    room = (MAX_TURNS - _CLOSING) // (2 * rounds - 1)
    seats = max(len(roles), min(voices or 0, room))
    return list(islice(cycle(roles), seats))


def _about(lens: str) -> About:
    return About(Topic.LENS, lens.replace("_", " "))


def _lenses(template: Template) -> list[tuple[str, str]]:
    """Returns the template's own ``settings.lenses`` (name, looks_for), else the nine above."""
    rows: Any = template.settings.get("lenses")
    if rows is None:
        return [*_LENSES.items()]
    if (
        not isinstance(rows, list)
        or not rows
        or not all(isinstance(r, dict) and isinstance(r.get("name"), str) for r in rows)
    ):
        raise BadInput("settings.lenses is a list of {name, looks_for}")
    return [(r["name"], str(r.get("looks_for", ""))) for r in rows]
