"""A review whose seats open independently and then debate only the findings in doubt.

A sure and severe finding of one seat alone is given to a refuter that has read only the change; its
holder answers once; the author answers what would block. From the template's phases, which are
those of ``phased``, this format takes who opens (the first phase), who answers for the change (a
later phase of one role) and who closes. The examining turns are not planned: the findings add them
(``core.due.examination``).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from core.errors import BadInput
from core.formats.draft import Draft, brief, goal, heading
from core.formats.phased import closing_phase, in_order, phases_of
from core.formats.plan import CROSS_EXAMINATION, LEAST_OPENINGS, MOST_OPENINGS, OPENINGS, Plan
from core.replies.sections import written_sections
from core.script import Duty, Script, SeatId, TurnId
from core.template import Phase, Role, Template

CONTESTED: Final = "What is contested"
"""The round in which findings are cross-examined."""
_READER = "reviewer"
_MOST_ROUNDS = 9
_BY_CODE = ("_findings", "notes", "summary")


def compile(template: Template, plan: Plan, rng: Random) -> Script:
    """Builds the openings, an empty round for contested findings, the author's answer and, where
    the report needs one, a closing.

    In a debate that findings do not decide there is nothing to examine, and a chair closes. Raises
    ``BadInput``.
    """
    if plan.rounds is not None and not 1 <= plan.rounds <= _MOST_ROUNDS:
        raise BadInput(f"a review has 1 to {_MOST_ROUNDS} rounds, not {plan.rounds}")
    phases = in_order(phases_of(template))
    first, closer = phases[0], closing_phase(phases)
    roles = {r.name: r for r in template.roles}
    opening = [roles[name] for name in first.roles_active]
    answer = _answering(phases, closer) if plan.rounds != 1 and template.findings else None
    draft = Draft(template.format, rng)
    author = SeatId("")
    if answer is not None:
        role = roles[answer.roles_active[0]]
        author = draft.seat(role.name, text=brief(role))
    openers = opening
    if template.findings:
        openers = _openers(opening, plan)
    seats = [draft.seat(role.name, text=brief(role)) for role in openers]
    draft.round(heading(first.name), first.name, goal(first))
    opened = [draft.say(seat, "open", independent=True) for seat in seats]
    if not template.findings:
        draft.close(template, plan)
        return draft.script(plan)
    if plan.rounds != 1:
        draft.round(CONTESTED, CROSS_EXAMINATION)
    if answer is not None:
        draft.round(heading(answer.name), answer.name, goal(answer))
        draft.say(author, "justify", opened, when="would_block")
    _close(draft, template, plan, closer, roles)
    return draft.script(plan)


def _answering(phases: Sequence[Phase], closer: Phase | None) -> Phase | None:
    """Returns the later phase in which one role alone answers for the change; None where there is
    none.
    """
    later = (p for p in phases[1:] if p is not closer and len(p.roles_active) == 1)
    return next((p for p in later if p.roles_active[0] not in phases[0].roles_active), None)


def _openers(roles: Sequence[Role], plan: Plan) -> list[Role]:
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
        "Reviews the change alone",
        of_all("objectives"),
        of_all("evaluation_criteria"),
        of_all("example_prompts"),
    )


def is_written_by_code(template: Template) -> bool:
    """Says whether code can fill every section of the report from the findings."""
    return all(
        name.endswith(_BY_CODE) or name.startswith("action") for name in written_sections(template)
    )


def _close(
    draft: Draft, template: Template, plan: Plan, closer: Phase | None, roles: dict[str, Role]
) -> None:
    """Adds the closing turn, which asks for missing fixes of findings that must be fixed and writes
    the sections that code cannot.
    """
    heard = draft.turn_ids
    role = roles[closer.roles_active[0]] if closer else None
    title = heading(closer.name) if closer else "Verdict"
    draft.round(title, closer.name if closer else "", goal(closer) if closer else "")
    text = brief(role) if role else "Chair: took no part."
    chair = draft.seat(role.name if role else "chair", Duty.CHAIR, text)
    _mend(draft, chair, heard)
    if not is_written_by_code(template):
        draft.say(chair, "close", draft.turn_ids, closing=True)
    draft.judge(template, plan, heard)


def _mend(draft: Draft, chair: SeatId, heard: Sequence[TurnId]) -> None:
    draft.say(chair, "mend", heard, closing=True, when="unmended")
