"""Builds the arms of a measurement from one template, and reads each one's result on a change.

All arms seat the same models over the same material. Single answers, their union and a vote are
read off a debate's own openings, which nothing has influenced yet: so the same answers are
compared, and nothing is paid twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from random import Random

from core.debate.events import EndReason
from core.debate.finding import Finding
from core.debate.formats.contested import generalist
from core.debate.material import Hunk, Material
from core.debate.script import Script, TurnId
from core.debate.state import Debate
from core.debate.template import Template
from core.debate.verdict import blocks
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.votes import independent_votes
from core.evaluation import OF_OPENINGS, Arm, ArmResult, Case, Defect
from core.words.views.course.cost import cost

NEAR = 3
"""The most lines between a finding and a known defect at the same place."""
SURE = 0.6
"""The confidence from which a finding of a single opening counts; it plays no part in a verdict."""
_LOST = (EndReason.ERROR, EndReason.NO_QUORUM, EndReason.BUDGET, EndReason.HUMAN)


def template_of(template: Template, arm: Arm) -> Template:
    """Returns the template that an arm plays: for the arms of openings only the first phase, for a
    reviewer that phase with one seat, which looks for everything that the critics look for.
    """
    if arm is Arm.DEBATE:
        return template
    first = template.phases[0]
    critics = tuple(r for r in template.roles if r.name in first.roles_active)
    if arm is Arm.REVIEWER:
        critics = (generalist(critics),)
    only = replace(first, roles_active=tuple(r.name for r in critics), duration_rounds=1)
    return replace(template, roles=critics, phases=(only,), max_rounds=1, format="phased")


def reordered(template: Template, rng: Random) -> Template:
    """Returns the template with its roles seated in a drawn order."""
    order = rng.sample(template.roles, len(template.roles))
    places = {role.name: n for n, role in enumerate(order)}
    phases = tuple(
        replace(p, roles_active=tuple(sorted(p.roles_active, key=places.__getitem__)))
        for p in template.phases
    )
    return replace(template, roles=tuple(order), phases=phases)


def script_of(script: Script, arm: Arm) -> Script:
    """Returns the script that is played; without a debate no seat closes it."""
    if arm is Arm.DEBATE:
        return script
    turns = tuple(replace(t, when="debated") if t.closing else t for t in script.turns)
    return replace(script, turns=turns)


def openings(debate: Debate) -> Debate:
    """Returns the debate as it was before any seat had read another."""
    return _said(debate, {t.id for t in debate.turns if t.independent})


def _said(debate: Debate, turns: Collection[TurnId]) -> Debate:
    """Returns the debate as if no other turns than these had taken place."""
    usage = {id: used for id, used in debate.usage.items() if id in turns}
    return replace(debate.heard(turns), usage=usage)


def readings(case: Case, arm: Arm, repeat: int, debate: Debate) -> list[ArmResult]:
    """Returns an arm's results on a case from the debate that was played for it: one reading, or
    one of each opening if each is read by itself.
    """
    blank = ArmResult(case.id, arm, repeat, debate.id)
    if failed := _failure(debate, arm):
        return [replace(blank, failed=failed)]
    if arm is Arm.SINGLE:
        heard = [t for t in debate.turns if t.independent and t.id in debate.finished]
        return [
            _read(replace(blank, seat=t.seat), case, _said(debate, {t.id}), _alone) for t in heard
        ]
    if arm is Arm.UNION:
        return [_read(blank, case, openings(debate), _united)]
    if arm is Arm.VOTE:
        return [_read(blank, case, openings(debate), _by_votes)]
    return [_read(blank, case, debate, _by_verdict)]


_Decided = tuple[Sequence[MergedFinding], Sequence[MergedFinding] | None]
"""The findings that an arm lists, and those that make it block; None if it does not block."""


def _read(
    blank: ArmResult, case: Case, debate: Debate, decide: Callable[[Debate], _Decided]
) -> ArmResult:
    listed, reasons = decide(debate)
    spent = cost(debate)
    wordings = [raised.finding for m in listed for raised in m.standing]
    return replace(
        blank,
        blocked=reasons is not None,
        found=_known(case, listed, debate),
        placed=frozenset(
            n
            for n in case.located
            if any(at_it(one, case.defects[n], debate.open.material) for one in wordings)
        ),
        worded=frozenset(
            n for n in case.worded if any(says_it(one, case.defects[n]) for one in wordings)
        ),
        rightly=bool(_known(case, reasons or (), debate)),
        others=sum(not _known(case, [m], debate) for m in listed),
        usd=None if spent["unpriced"] else spent["usd"],
        calls=spent["calls"],
        seconds=_seconds(debate),
    )


def _failure(debate: Debate, arm: Arm) -> str:
    if debate.failure:
        return debate.failure
    if debate.concluded is None:
        return f"not finished: {debate.status}"
    if arm in OF_OPENINGS:
        if any(t.independent and t.id in debate.finished for t in debate.turns):
            return ""
        return "no critic answered"
    because = debate.concluded.because
    if because not in _LOST:
        return ""
    return f"it ended for lack of a whole debate: {because.value}"


def _listed(debate: Debate) -> list[MergedFinding]:
    return [m for m in merge_findings(debate) if m.state is FindingState.OPEN]


def _united(debate: Debate) -> _Decided:
    """Unites the findings of all openings that are sure and located; it blocks with one for which
    its seat would block.
    """
    listed = [
        m
        for m in _listed(debate)
        if any(r.finding.anchored and r.finding.confidence >= SURE for r in m.standing)
    ]
    return listed, [m for m in listed if m.grave] or None


def _alone(debate: Debate) -> _Decided:
    """Reads one opening: it blocks by its findings or by its stance."""
    listed, reasons = _united(debate)
    blocking = debate.open.template.blocking
    if reasons is None and blocking & set(independent_votes(debate).values()):
        return listed, listed
    return listed, reasons


def _by_votes(debate: Debate) -> _Decided:
    """Lists the findings of the critics that ask for changes, if they are more than half; a critic
    that failed still counts.
    """
    listed = _listed(debate)
    critics = {t.seat for t in debate.turns if t.independent}
    blocking = debate.open.template.blocking
    votes = independent_votes(debate)
    asking = {seat for seat in critics if votes.get(seat) in blocking}
    if 2 * len(asking) <= len(critics):
        return listed, None
    return listed, [m for m in listed if asking & set(m.by)]


def _by_verdict(debate: Debate) -> _Decided:
    """Lists the findings that must be fixed by the verdict, or all findings if only votes block."""
    listed = _listed(debate)
    last = debate.closed or debate.concluded
    if last is None or not blocks(debate, last.decision):
        return listed, None
    return listed, [m for m in listed if m.blocking] or listed


def _known(case: Case, findings: Sequence[MergedFinding], debate: Debate) -> frozenset[int]:
    material = debate.open.material
    return frozenset(
        n for n in case.located if any(names(m, case.defects[n], material) for m in findings)
    )


def _seconds(debate: Debate) -> float:
    """Returns the models' seconds; turns of one round speak at the same time."""
    rounds: dict[int, float] = {}
    for turn in debate.turns:
        used = debate.usage.get(turn.id)
        if used is not None:
            rounds[turn.round] = max(rounds.get(turn.round, 0.0), used.seconds)
    return sum(rounds.values())


def names(finding: MergedFinding, defect: Defect, material: Material) -> bool:
    """True if an open wording of the finding names ``defect``, by place and by words. Without words
    the place decides.
    """
    return any(
        at_it(raised.finding, defect, material)
        and (not defect.words or says_it(raised.finding, defect))
        for raised in finding.standing
    )


def at_it(finding: Finding, defect: Defect, material: Material) -> bool:
    """True if the finding is at a place of the defect."""
    line = new_line(material, finding)
    return line is not None and any(
        spot.path == finding.path and spot.near(line, NEAR) for spot in defect.spots
    )


def says_it(finding: Finding, defect: Defect) -> bool:
    """True if the finding contains one of the defect's words.

    Its quotation is ignored: that is the change's text and does not show what the seat understood.
    """
    text = f"{finding.title}\n{finding.trigger}\n{finding.fix}".casefold()
    return any(word.casefold() in text for word in defect.words)


def new_line(material: Material, finding: Finding) -> int | None:
    """Returns the new-side line that a finding is about; for a removed line, the line that replaced
    it.
    """
    if finding.side.upper() != "LEFT" or finding.line is None:
        return finding.line
    here = (h for h in material.hunks if finding.path in (h.path, h.old_path))
    return next((n for n in (_after(h, finding.line) for h in here) if n is not None), None)


def _after(hunk: Hunk, old: int) -> int | None:
    """Returns the new-side number at, or first after, the old line; None outside this hunk."""
    at = next((i for i, line in enumerate(hunk.lines) if line.old == old), None)
    if at is None:
        return None
    around = (line.new for line in (*hunk.lines[at:], *reversed(hunk.lines[:at])))
    return next((n for n in around if n is not None), None)
