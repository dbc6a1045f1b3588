"""Three participants debate with their models hidden until the end, and each sits once in the hot
seat.

Openings are blind and simultaneous. In each hot seat the two others ask one question each that
quotes the target's opening, and the target answers both. The order of the hot seats and of the
askers is drawn. The synthesis is written by a seat that took no part.
"""

from __future__ import annotations

from random import Random

from core.debate.errors import BadInput
from core.debate.formats.draft import Draft, brief, count_of
from core.debate.formats.plan import Plan
from core.debate.script import About, Script, SeatId, Topic, TurnId, spelled
from core.debate.template import Template

_PARTICIPANTS = 3
_MOST_ROUNDS = _PARTICIPANTS + 2


def compile(template: Template, plan: Plan, rng: Random) -> Script:
    """Builds the openings, ``rounds`` hot seats (three unless fewer are wanted), the closings and
    the synthesis. Raises ``BadInput``.
    """
    if len(template.roles) != _PARTICIPANTS:
        raise BadInput(f"a triad has {_PARTICIPANTS} roles, not {len(template.roles)}")
    draft = Draft(template.format, rng, blind=True)
    seats = [draft.seat(r.name, text=brief(r)) for r in template.roles]
    rounds = plan.rounds_within(_MOST_ROUNDS, _MOST_ROUNDS)
    hot = rng.sample(seats, _PARTICIPANTS)[: max(1, rounds - 2)]
    labels = dict(draft.labels())
    draft.round(
        "Opening statements",
        "opening",
        "State your position and its reasons. Nobody has seen anybody's yet.",
    )
    opening = {s: draft.say(s, "open", independent=True) for s in seats}
    for target in hot:
        draft.round(
            f"Hot seat: {spelled(labels[target])}",
            "hot_seat",
            f"{labels[target]} defends its opening statement against one question of each other "
            "seat.",
        )
        askers = rng.sample([s for s in seats if s != target], _PARTICIPANTS - 1)
        rule = "each asker has one to 3 questions"
        for _ in range(count_of(template, "questions", rule)):
            _exchange(draft, target, askers, opening[target])
    draft.round(
        "Closing statements",
        "closing",
        "Sum up; say what changed your mind, and which statement did.",
    )
    heard = draft.turn_ids
    for seat in seats:
        draft.say(seat, "final", heard)
    draft.close(template, plan)
    return draft.script()


def _exchange(draft: Draft, target: SeatId, askers: list[SeatId], opening: TurnId) -> None:
    heard = draft.turn_ids
    questions = [
        draft.say(asker, "question", heard, about=About(Topic.SEAT, target)) for asker in askers
    ]
    draft.say(target, "answer", (*heard, *questions))
