"""The arms of a measurement, made of one template, and what each made of a change.

All arms seat the same models over the same material. A vote is read off a debate's own openings,
which nobody has influenced yet: so the same answers are compared, and nothing is paid twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from core.debate import Debate
from core.evaluation import Arm, Case, Reading
from core.evaluation.hits import names
from core.events import EndReason
from core.outcome.cost import cost
from core.script import Script
from core.template import Role, Template
from core.verdict import blocks
from core.verdict.findings import MergedFinding, State, merge_findings
from core.verdict.votes import independent_votes

_REVIEWER = "reviewer"
_LOST = (EndReason.ERROR, EndReason.NO_QUORUM, EndReason.BUDGET, EndReason.HUMAN)


def template_of(template: Template, arm: Arm) -> Template:
    """What is played for an arm: a vote is the first phase alone, a single answer that phase with
    one reviewer, who looks for all that the critics look for.
    """
    if arm is Arm.DEBATE:
        return template
    first = template.phases[0]
    critics = tuple(r for r in template.roles if r.name in first.roles_active)
    if arm is Arm.SINGLE:
        critics = (_reviewer(critics),)
    only = replace(first, roles_active=tuple(r.name for r in critics), duration_rounds=1)
    return replace(template, roles=critics, phases=(only,), max_rounds=1)


def _reviewer(critics: Sequence[Role]) -> Role:
    def of_all(field: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for role in critics for text in getattr(role, field)))

    return Role(
        _REVIEWER,
        "Reviews the change alone",
        of_all("objectives"),
        of_all("evaluation_criteria"),
        of_all("example_prompts"),
    )


def reordered(template: Template, rng: Random) -> Template:
    """The same template with its roles seated in a drawn order."""
    order = rng.sample(template.roles, len(template.roles))
    places = {role.name: n for n, role in enumerate(order)}
    phases = tuple(
        replace(p, roles_active=tuple(sorted(p.roles_active, key=places.__getitem__)))
        for p in template.phases
    )
    return replace(template, roles=tuple(order), phases=phases)


def script_of(script: Script, arm: Arm) -> Script:
    """The script as it is played: without a debate nobody closes one."""
    if arm is Arm.DEBATE:
        return script
    turns = tuple(replace(t, when="debated") if t.closing else t for t in script.turns)
    return replace(script, turns=turns)


def openings(debate: Debate) -> Debate:
    """The same debate before anybody had read anybody."""
    first = {t.id for t in debate.turns if t.independent}
    return replace(
        debate,
        finished={id: said for id, said in debate.finished.items() if id in first},
        usage={id: used for id, used in debate.usage.items() if id in first},
        votes={},
    )


def reading(case: Case, arm: Arm, repeat: int, debate: Debate) -> Reading:
    """What an arm made of a case, by the debate that was played for it."""
    blank = Reading(case.id, arm, repeat, debate.id)
    if failed := _failure(debate, arm):
        return replace(blank, failed=failed)
    seen = debate
    if arm is Arm.VOTE:
        seen = openings(debate)
    listed = [m for m in merge_findings(seen) if m.state is State.OPEN]
    deciding = _by_votes(seen, listed) if arm is Arm.VOTE else _by_verdict(seen, listed)
    spent = cost(seen)
    return replace(
        blank,
        blocked=deciding is not None,
        found=_known(case, listed, seen),
        rightly=bool(_known(case, deciding or (), seen)),
        others=sum(not _known(case, [m], seen) for m in listed),
        usd=None if spent["unpriced"] else spent["usd"],
        calls=spent["calls"],
        seconds=_seconds(seen),
    )


def _failure(debate: Debate, arm: Arm) -> str:
    if debate.failure:
        return debate.failure
    if debate.concluded is None:
        return f"not finished: {debate.status}"
    if arm is Arm.VOTE:
        first = [t for t in debate.turns if t.independent]
        if any(t.id in debate.finished for t in first):
            return ""
        return "no critic could be heard"
    because = debate.concluded.because
    if because not in _LOST:
        return ""
    return f"it ended for lack of a whole debate: {because.value}"


def _by_votes(debate: Debate, listed: Sequence[MergedFinding]) -> list[MergedFinding] | None:
    """What those who ask for changes list, where they are more than half of the critics; None where
    they are not. Who could not be heard stays one of them.
    """
    critics = {t.seat for t in debate.turns if t.independent}
    blocking = {o.option for o in debate.open.template.ballot if o.blocks}
    votes = independent_votes(debate)
    asking = {seat for seat in critics if votes.get(seat) in blocking}
    if 2 * len(asking) <= len(critics):
        return None
    return [m for m in listed if asking & set(m.by)]


def _by_verdict(debate: Debate, listed: Sequence[MergedFinding]) -> list[MergedFinding] | None:
    """What the verdict says must be fixed, all that is listed where votes alone block; None where
    nothing does.
    """
    last = debate.closed or debate.concluded
    if last is None or not blocks(debate, last.decision):
        return None
    return [m for m in listed if m.blocking] or list(listed)


def _known(case: Case, found: Sequence[MergedFinding], debate: Debate) -> frozenset[int]:
    """The numbers of the known defects that these findings name."""
    material = debate.open.material
    return frozenset(
        n for n in case.located if any(names(m, case.defects[n], material) for m in found)
    )


def _seconds(debate: Debate) -> float:
    """Seconds of the models; turns of one round speak at once."""
    rounds: dict[int, float] = {}
    for turn in debate.turns:
        used = debate.usage.get(turn.id)
        if used is not None:
            rounds[turn.round] = max(rounds.get(turn.round, 0.0), used.seconds)
    return sum(rounds.values())
