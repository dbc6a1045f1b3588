"""A moderated panel of proponent and opponent, which a complex or important question enlarges by an
advocate, a critic and a refiner.

Positions come first, blind and at the same time. In every round after that the moderator names the
point that matters and who must speak to it; a seat that is not called on stays silent (guard
``called_on``). The refiner then puts together what is left standing. ``complexity`` chooses
the size.
"""

from __future__ import annotations

from random import Random

from core.debate.errors import BadInput
from core.debate.formats.draft import Draft, brief
from core.debate.formats.plan import PanelSize, Plan
from core.debate.script import Duty, Script, SeatId
from core.debate.stored import stored
from core.debate.template import Role, Template

_STANDARD = ("proponent", "opponent", "moderator")
_EXTENDED = (*_STANDARD, "advocate", "critic", "refiner")
_NEUTRAL = ("moderator", "refiner")
_ROUNDS = {PanelSize.STANDARD: 2, PanelSize.EXTENDED: 3}
_MOST_ROUNDS = 10


def compile(template: Template, plan: Plan, rng: Random) -> Script:
    """Builds the positions and the moderated rounds. Raises ``BadInput`` when the template lacks a
    role that the panel's size needs.
    """
    form = _form(template, plan)
    rounds = plan.rounds_within(min(_ROUNDS[form], template.max_rounds), _MOST_ROUNDS)
    roles = _roles(template, form)
    draft = Draft(template.format, rng)
    seats = {
        r.name: draft.seat(r.name, Duty.MODERATOR if r.name in _NEUTRAL else Duty.DEBATER, brief(r))
        for r in roles
    }
    draft.round(
        "Positions",
        "positions",
        "State your position, its strongest reasons and what would change your mind.",
    )
    arguing = [s for r, s in seats.items() if r not in _NEUTRAL]
    for seat in arguing:
        draft.say(seat, "open", independent=True)
    _refine(draft, seats)
    for n in range(1, rounds):
        draft.round(
            stored("{why} {n}/{of}", why=stored("Discussion"), n=n, of=rounds - 1),
            "discussion",
            "Speak to the point that the moderator named; concede what is right.",
        )
        draft.say(seats["moderator"], "steer", draft.turn_ids)
        heard = draft.turn_ids
        for seat in arguing:
            draft.say(seat, "debate", heard, when="called_on")
        _refine(draft, seats)
    draft.close(template, plan)
    return draft.script()


def _refine(draft: Draft, seats: dict[str, SeatId]) -> None:
    if "refiner" in seats:
        draft.say(seats["refiner"], "refine", draft.turn_ids)


def _form(template: Template, plan: Plan) -> PanelSize:
    if plan.form is not None:
        return plan.form
    named = template.settings.get("form", PanelSize.STANDARD.value)
    if named not in tuple(PanelSize):
        raise BadInput(f"settings.form is {named!r}; use one of {', '.join(PanelSize)}")
    return PanelSize(named)


def _roles(template: Template, form: PanelSize) -> list[Role]:
    declared = {r.name: r for r in template.roles}
    wanted = _EXTENDED if form is PanelSize.EXTENDED else _STANDARD
    if missing := [r for r in wanted if r not in declared]:
        raise BadInput(
            f"the {form} panel needs the roles {', '.join(wanted)}; missing: {', '.join(missing)}"
        )
    return [declared[r] for r in wanted]
