"""A review whose seats open independently and then argue only over what their openings contest.

From the template's phases, which are the same as for ``phased``, this format takes the openers (the
first phase), the seat that answers for the change (a later phase of one role), the name of the
argument (a later phase of several roles) and the closing seat. The turns of the argument are not
planned: the openings add them (``due.argument``), and without any the debate ends after the
openings.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from core.debate.errors import BadInput
from core.debate.formats.draft import Draft, brief, goal, heading
from core.debate.formats.phased import closing_phase, in_order, phases_of
from core.debate.formats.plan import LEAST_OPENINGS, MOST_OPENINGS, OPENINGS, Plan
from core.debate.replies.sections import written_sections
from core.debate.script import ANSWER, ARGUED, DEBATE, DECISION, Duty, Script
from core.debate.stored import stored
from core.debate.template import Phase, Role, Template

_READER = stored("reviewer")
_MOST_ROUNDS = 2
_BY_CODE = ("_findings", "notes", "summary")
"""The ends of the names of sections that code can fill from the findings; actions are others."""
_CHAIR = Role("chair", "took no part")
_AUTHOR = Role(
    "author",
    "Speaks for the change",
    ("find the guard, caller or test that settles a point", "concede what cannot be defended"),
)


def compile(template: Template, plan: Plan, rng: Random) -> Script:
    """Builds the openings, the empty rounds of the argument, and the closing.

    In a debate that findings do not decide nothing can be contested, and a chair closes. Raises
    ``BadInput``.
    """
    if plan.rounds is not None and not 1 <= plan.rounds <= _MOST_ROUNDS:
        raise BadInput(
            f"a review argues in {_MOST_ROUNDS} rounds at most, not {plan.rounds}: --rounds 1 ends "
            f"it after its openings, --format phased --rounds {plan.rounds} plays more"
        )
    phases = in_order(phases_of(template))
    first, closer = phases[0], closing_phase(phases)
    roles = {r.name: r for r in template.roles}
    openers = [roles[name] for name in first.roles_active]
    draft = Draft(template.format, rng)
    answer = _answering(phases, closer)
    if template.findings:
        author = next((roles[name] for name in answer.roles_active), _AUTHOR)
        draft.seat(author.name, Duty.AUTHOR, brief(author))
        openers = _filled_up(openers, plan)
    draft.round(heading(first.name), first.name, goal(first))
    for role in openers:
        draft.say(draft.seat(role.name, text=brief(role)), "open", independent=True)
    if not template.findings:
        draft.close(template, plan)
        return draft.script()
    if plan.rounds != 1:
        _argument(draft, phases, answer, closer)
    _close(draft, template, plan, closer or Phase(""), roles)
    return draft.script()


def _argument(draft: Draft, phases: Sequence[Phase], answer: Phase, closer: Phase | None) -> None:
    debate = next(
        (p for p in phases[1:] if p is not closer and len(p.roles_active) > 1),
        Phase(DEBATE, objectives=("Settle what is contested",)),
    )
    draft.round(heading(answer.name), ANSWER, goal(answer))
    for number in (1, 2):
        draft.round(f"{heading(debate.name)} {number}/2", DEBATE, goal(debate))
    draft.round(heading(DECISION), DECISION)


def _answering(phases: Sequence[Phase], closer: Phase | None) -> Phase:
    """Returns the later phase in which only one role answers for the change, or a phase without
    roles.
    """
    later = (p for p in phases[1:] if p is not closer and len(p.roles_active) == 1)
    answering = (p for p in later if p.roles_active[0] not in phases[0].roles_active)
    return next(answering, Phase(ANSWER))


def _filled_up(roles: Sequence[Role], plan: Plan) -> list[Role]:
    """Returns the roles of the first phase, filled up with generalists to the wanted number."""
    wanted = plan.openings or OPENINGS
    if not LEAST_OPENINGS <= wanted <= MOST_OPENINGS:
        raise BadInput(f"a review has {LEAST_OPENINGS} to {MOST_OPENINGS} openings, not {wanted}")
    return [*roles[:wanted], *(generalist(roles) for _ in range(wanted - len(roles)))]


def generalist(roles: Sequence[Role]) -> Role:
    """Builds a role that looks for everything that these roles look for."""

    def of_all(field: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for role in roles for text in getattr(role, field)))

    return Role(
        _READER,
        "Reviews the change independently",
        of_all("objectives"),
        of_all("evaluation_criteria"),
        of_all("example_prompts"),
    )


def _close(
    draft: Draft, template: Template, plan: Plan, closer: Phase, roles: dict[str, Role]
) -> None:
    """Adds the closing turn, which writes and scores a review that was argued. If nothing was, code
    writes every section that it can.
    """
    heard = draft.turn_ids
    draft.round(heading(closer.name) or "Verdict", closer.name, goal(closer))
    role = next((roles[name] for name in closer.roles_active), _CHAIR)
    chair = draft.seat(role.name, Duty.CHAIR, brief(role))
    sections = written_sections(template)
    when = ""
    if all(name.endswith(_BY_CODE) or name.startswith("action") for name in sections):
        when = ARGUED
    draft.say(chair, "chair", heard, closing=True, when=when)
    draft.judge(template, plan, heard, when=ARGUED)
