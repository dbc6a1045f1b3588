"""A claim, plan or change is attacked category by category: each attack is defended, pressed if it
was not resolved, and graded by a judge.

The defender is the template's first role; the others attack, taking the categories in turn. After
the press, further rounds let both sides answer once more while an attack stays open (guard
``not_resolved``).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from core.debate.errors import BadInput
from core.debate.formats.draft import JUDGE_BRIEF, Draft, brief, heading
from core.debate.formats.plan import Plan
from core.debate.script import About, Duty, Script, Topic, TurnId
from core.debate.template import Template

_MOST_ROUNDS = 6
_MOST_CATEGORIES = 12


def compile(template: Template, plan: Plan, rng: Random) -> Script:
    """Builds the claim, the attacks and defences, the presses and the grades. Raises
    ``BadInput``.
    """
    categories = _categories(template)
    rounds = plan.rounds_within(template.max_rounds, _MOST_ROUNDS)
    if len(template.roles) < 2:
        raise BadInput("a gauntlet needs a defender and at least one attacker")
    draft = Draft(template.format, rng)
    defender, *attackers = (draft.seat(r.name, text=brief(r)) for r in template.roles)
    draft.round("Claim", "claim", "State what is claimed, so that it can be attacked.")
    claim = draft.say(defender, "claim", independent=True)
    draft.round("Attacks", "attack", "One attack for each category, and its defence.")
    order = rng.sample(attackers, len(attackers))
    by = {c: order[i % len(order)] for i, c in enumerate(categories)}
    attacks = {
        c: draft.say(by[c], "attack", (claim,), about=_about(c), independent=True)
        for c in categories
    }
    exchange: dict[str, tuple[TurnId, ...]] = {
        c: (claim, a, draft.say(defender, "defend", (claim, a), about=_about(c)))
        for c, a in attacks.items()
    }
    for n in range(1, rounds):
        if n % 2 == 1:
            task, speaks = "press", by
            draft.round("Press", "press", "Unresolved attacks only.")
        else:
            task, speaks = "defend", dict.fromkeys(categories, defender)
            draft.round("Defence", "defence", "Pressed attacks only.")
        for c in categories:
            exchange[c] = (
                *exchange[c],
                draft.say(speaks[c], task, exchange[c], when="not_resolved", about=_about(c)),
            )
    draft.round("Grades")
    draft.say(draft.seat("judge", Duty.JUDGE, JUDGE_BRIEF), "grade", draft.turn_ids, closing=True)
    return draft.script()


def _about(category: str) -> About:
    return About(Topic.CATEGORY, category)


def _categories(template: Template) -> tuple[str, ...]:
    rows: Any = template.settings.get("categories")
    if not isinstance(rows, list) or not rows or len(rows) > _MOST_CATEGORIES:
        raise BadInput(f"settings.categories lists one to {_MOST_CATEGORIES} kinds of attack")
    categories = [row if isinstance(row, dict) else {"name": row} for row in rows]
    names: list[Any] = [category.get("name") for category in categories]
    if not all(isinstance(n, str) and n for n in names) or len(set(names)) != len(names):
        raise BadInput("each of settings.categories needs a unique name")
    return tuple(map(_category, categories))


def _category(row: Mapping[str, Any]) -> str:
    name, asks = heading(row["name"]).lower(), row.get("asks", "")
    if asks:
        return f"{name}: {asks}"
    return name
