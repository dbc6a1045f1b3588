"""Two seats exchange typed arguments in a fixed sequence, and a judge measures every round.

proposal -> challenge -> defense -> counter -> resolution; a resolution counts as the proposal of
the next round, so a challenge follows it. No seat argues twice in a row. A turn is skipped (guard
``in_sequence``) when the argument that it must follow was never made, and a round without an
argument is not measured. The judge's metrics come from its typed reply, and
``core.debate.verdict.convergence`` decides on them.
"""

from __future__ import annotations

from random import Random

from core.debate.errors import BadInput
from core.debate.formats.draft import JUDGE_BRIEF, Draft, brief
from core.debate.formats.plan import Plan
from core.debate.replies import ArgumentType
from core.debate.script import About, Duty, Script, Topic, TurnId
from core.debate.template import Template

_SIDES = 2
_MOST_ROUNDS = 10
_FIRST = (
    ArgumentType.PROPOSAL,
    ArgumentType.CHALLENGE,
    ArgumentType.DEFENSE,
    ArgumentType.COUNTER,
    ArgumentType.RESOLUTION,
)
_LATER = _FIRST[1:]


def compile(template: Template, plan: Plan, rng: Random) -> Script:
    """Builds rounds of five, then four, arguments, each measured. Raises ``BadInput``."""
    rounds = plan.rounds_within(template.max_rounds, _MOST_ROUNDS)
    if len(template.roles) != _SIDES:
        raise BadInput(f"this format has {_SIDES} roles, not {len(template.roles)}")
    draft = Draft(template.format, rng)
    proposing, opposing = (draft.seat(r.name, text=brief(r)) for r in template.roles)
    judge = draft.seat("judge", Duty.JUDGE, JUDGE_BRIEF)
    measured: tuple[TurnId, ...] = ()
    for n in range(rounds):
        draft.round(
            f"Round {n + 1}", f"round_{n + 1}", "Argue in sequence, each to the argument before it."
        )
        heard = draft.turn_ids
        arguments: list[TurnId] = []
        for type in _LATER if n else _FIRST:
            seat = proposing
            if type in (ArgumentType.CHALLENGE, ArgumentType.COUNTER):
                seat = opposing
            first = not heard and not arguments
            when = "" if first else "in_sequence"
            arguments.append(
                draft.say(
                    seat,
                    "argue",
                    (*heard, *arguments),
                    when=when,
                    about=About(Topic.ARGUMENT, type.value),
                    independent=first,
                )
            )
        measured = (draft.say(judge, "measure", (*measured, *arguments), when="argued"),)
    draft.close(template, plan)
    return draft.script()
