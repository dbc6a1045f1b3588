"""Merges findings: the same defect named by several seats becomes one finding with several holders.

A finding leaves the verdict rule in two ways: all its holders take it back (a scanner's finding:
more than half of all entitled seats dispute it), or a strict majority of people says that it is not
real. Whether it must be fixed follows from the positions on it and the votes (``rule``). Findings
of an earlier run on the same change come first: if the lines of a finding changed, the bot asks the
seats, and their answers decide whether it is resolved; otherwise it stays open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.debate.finding import Finding, Severity
from core.debate.ledger import REVIEWS, Demand, Fate
from core.debate.material import CodeFinding, Scanned
from core.debate.replies import Answer, Position, Repair
from core.debate.script import SeatId
from core.debate.state import Debate, once_for
from core.debate.verdict.findings.bars import barred
from core.debate.verdict.findings.ledger import contradicted, is_fresh
from core.debate.verdict.findings.merged import (
    CODE,
    EARLIER,
    REMARK,
    SCANNER,
    FindingState,
    MergedFinding,
)
from core.debate.verdict.findings.merging import components
from core.debate.verdict.findings.positions import (
    GONE,
    Positions,
    Raised,
    WordingAnswer,
    answers,
    positions,
)
from core.debate.verdict.findings.proofs import proofs_of
from core.debate.verdict.findings.rule import most_block
from core.debate.verdict.votes import (
    NONE,
    count_people,
    final_votes,
    has_majority,
    independent_votes,
)

_UNSURE = 0.5
"""The confidence of a scanner's finding: it blocks nothing until a seat holds it, too."""

_SECURITY = ("security", "privacy", "threat", "vulnerab", "red_team", "breach")


@once_for("opened", "plan", "finished", "failed", "proofs", "votes")
def merge_findings(debate: Debate) -> tuple[MergedFinding, ...]:
    """Returns all findings of the debate, the most severe first, with the positions of seats and
    people.
    """
    groups = _grouped(debate)
    given = answers(debate)
    repairs = {
        repair.to: repair for _, statement in debate.statements() for repair in statement.repairs
    }
    merged = [_repaired(_judged(debate, group, given), repairs) for group in groups]
    merged = [barred(debate, _succeeded(one, merged)) for one in merged]
    voted = most_block(blocking_votes(debate, merged).values())
    ruled = [replace(m, blocking=m.point.blocks(voted=voted)) for m in merged]
    return tuple(
        sorted(ruled, key=lambda m: (-m.wording.severity.rank, -m.wording.confidence))
    )  # stable: script order within


def blocking_votes(debate: Debate, findings: Sequence[MergedFinding]) -> dict[SeatId, bool | None]:
    """Returns, for each entitled seat, whether its last option blocks; an abstention does not, and
    the value is None for a seat that did not answer.

    The vote of a seat that wants nothing fixed but what people call not real does not block. A seat
    that changed its mind and showed nothing for it keeps the vote of its opening.
    """
    blocking = debate.open.template.blocking
    refuted = [m for m in findings if m.state is FindingState.DISPUTED or m.bar]
    held = [m for m in findings if m.state is FindingState.OPEN and not m.bar]
    late = debate.open.material.review > REVIEWS
    unshown = {seat for m in findings for seat in m.unshown}
    first, present = independent_votes(debate), set(debate.present)
    votes: dict[SeatId, bool | None] = {}
    for seat, option in final_votes(debate).items():
        counted = option
        if seat in unshown and first[seat] != NONE:
            counted = first[seat]
        votes[seat] = None
        if seat in present:
            blocks = counted in blocking
            votes[seat] = blocks and not _overruled(seat, refuted, held, late=late)
    return votes


def _overruled(
    seat: SeatId,
    refuted: Sequence[MergedFinding],
    held: Sequence[MergedFinding],
    *,
    late: bool,
) -> bool:
    """Return whether everything that the seat wants fixed, or holds at all, is refuted by people or
    barred; ``late`` also if it names no finding, since then only findings can block.
    """
    if any(seat in m.fix_by for m in held):
        return False
    nothing_else = not any(seat in m.by for m in held)
    return late or any(seat in (m.by if nothing_else else m.fix_by) for m in refuted)


def _repaired(finding: MergedFinding, repairs: Mapping[str, Repair]) -> MergedFinding:
    """Adds the trigger and the fix that older debates asked for after the verdict, if the finding
    lacked them.
    """
    repair = next((repairs[id] for id in finding.ids if id in repairs), None)
    if repair is None:
        return finding
    f = finding.wording
    complete = replace(f, trigger=f.trigger or repair.trigger, fix=f.fix or repair.fix)
    return replace(finding, wording=complete)


def _raised(debate: Debate) -> Iterable[Raised]:
    for demand in debate.open.material.demands:
        if demand.listed:
            yield Raised(EARLIER, demand.finding)
    for n, proven in enumerate(debate.open.material.proven, 1):
        yield Raised(CODE, _reported(proven, f"{CODE}.f{n}", 1.0))
    for report in debate.open.material.scanned:
        if report.author:
            yield Raised(REMARK, _reported(report, report.id, _UNSURE))
        else:
            trigger = f"reported by {report.tool}"
            yield Raised(SCANNER, _reported(report, report.id, _UNSURE, trigger))
    place = {turn.id: at for at, turn in enumerate(debate.turns)}
    for turn, statement in debate.statements(debate.voters):
        yield from (Raised(turn.seat, f, place[turn.id]) for f in statement.findings)


def _reported(
    report: CodeFinding | Scanned, id: str, confidence: float, trigger: str = ""
) -> Finding:
    return Finding(
        id,
        Severity(report.severity),
        confidence,
        report.title,
        report.path,
        report.line,
        report.side,
        report.quote,
        trigger,
        anchored=True,
    )


def _grouped(debate: Debate) -> list[tuple[Raised, ...]]:
    """Returns the wordings of each finding. A wording that asks for the opposite of a demand is no
    wording of it.
    """
    demands = debate.open.material.demands
    ours: list[Raised] = []
    opposite: list[Raised] = []
    for raised in _raised(debate):
        against = raised.seat not in (EARLIER, CODE) and contradicted(raised.finding, demands)
        (opposite if against else ours).append(raised)
    return [
        tuple(wordings[n] for n in numbers)
        for wordings in (ours, opposite)
        for numbers in components([raised.finding for raised in wordings])
    ]


def _succeeded(finding: MergedFinding, others: Sequence[MergedFinding]) -> MergedFinding:
    """Returns the finding as resolved if its lines changed, nobody answered whether it is still
    there, and a new finding is on them.
    """
    demand = finding.demand
    changed = demand is not None and demand.fate in (Fate.CHANGED, Fate.REPLACED)
    raised_again = finding.raisers != {EARLIER}
    if demand is None or not changed or raised_again or finding.reasons:
        return finding
    if finding.state is FindingState.DISPUTED or demand.lines is None:
        return finding
    path, (first, last) = demand.finding.path, demand.lines
    for other in others:
        f = other.wording
        fresh = other.demand is None and other.state is FindingState.OPEN and f.anchored
        if fresh and f.path == path and f.line is not None and first <= f.line <= last:
            return replace(finding, state=FindingState.RESOLVED, successor=other.id)
    return finding


def _rated(raised: tuple[Raised, ...], reasons: Mapping[SeatId, Answer]) -> tuple[Raised, ...]:
    given = {seat: answer.severity for seat, answer in reasons.items()}
    rated = []
    for r in raised:
        if severity := given.get(r.seat):
            rated.append(replace(r, finding=replace(r.finding, severity=severity)))
        else:
            rated.append(r)
    return tuple(rated)


def _judged(
    debate: Debate, raised: tuple[Raised, ...], given: Mapping[str, list[WordingAnswer]]
) -> MergedFinding:
    held = positions(raised, given)
    proof = next((p for r in raised if (p := proofs_of(debate).get(r.finding.id))), None)
    tested = proof is not None and proof.proven
    if not tested:
        raised = _rated(raised, held.reasons)
    demands = debate.open.material.demands
    ids = [r.finding.id for r in raised]
    people = count_people(debate, *ids)
    worse, milder = has_majority(people, "worse"), has_majority(people, "milder")
    merged = MergedFinding(
        id=ids[0],
        raised=raised,
        wording=raised[0].finding,
        entitled=len(debate.voters),
        by=held.by,
        fix_by=held.fix_by,
        silent=_silent(debate, held),
        unshown=held.unshown,
        disputed_by=held.disputed_by,
        reasons=held.reasons,
        dropped=held.dropped,
        people=people,
        author=count_people(debate, *ids, author=True),
        confirmed=_confirmed(people),
        step=worse - (milder and not tested),
        demand=next((d for d in demands if d.id == ids[0]), None),
        proof=proof,
    )
    return _settled(debate, replace(merged, wording=_shown(merged)))


def _silent(debate: Debate, held: Positions) -> tuple[SeatId, ...]:
    opened = {turn.seat for turn, _ in debate.statements(debate.voters) if turn.independent}
    answered = {*held.by, *held.disputed_by}
    return tuple(s for s in debate.voters if s in opened and s not in answered)


def _confirmed(counts: Mapping[str, int]) -> bool:
    """True if people find it real; a vote for worse or milder counts as real."""
    real = sum(counts.values()) - counts["not_real"]
    return real >= 2 and real > counts["not_real"]


def _shown(finding: MergedFinding) -> Finding:
    """Returns the wording to print, with its severity moved by people's votes."""
    best = max(
        (r.finding for r in finding.standing),
        key=lambda f: (f.anchored, f.severity.rank, f.confidence),
    )
    scale = list(Severity)
    moved = max(0, min(len(scale) - 1, best.severity.rank + finding.step))
    return replace(best, id=finding.id, severity=scale[moved])


def _settled(debate: Debate, finding: MergedFinding) -> MergedFinding:
    """Returns the finding with its state. A demand that people disputed before stays disputed,
    unless a seat raises it again on lines that changed since the last review.
    """
    if finding.tested:
        return finding
    material, demand = debate.open.material, finding.demand
    again = [r.finding for r in finding.raised if r.seat != EARLIER and r.seat in finding.by]
    fresh = material.fresh is not None and any(is_fresh(material, f) for f in again)
    disputed_before = demand is not None and demand.disputed and not fresh
    if has_majority(finding.people, "not_real") or disputed_before:
        roles = [role_behind(debate, r, demand).casefold() for r in finding.raised]
        secures = any(mark in role for role in roles for mark in _SECURITY)
        severe = finding.wording.severity.severe and secures
        return replace(finding, state=FindingState.DISPUTED, maintainer=severe)
    if demand is not None:
        state = _state_now(debate, finding, demand, again=bool(again), fresh=fresh)
        return replace(finding, state=state)
    if (not finding.by or finding.refuted) and not finding.confirmed:
        return replace(finding, state=FindingState.WITHDRAWN)
    return finding


def _state_now(
    debate: Debate, finding: MergedFinding, demand: Demand, *, again: bool, fresh: bool
) -> FindingState:
    """Returns the state of a demand: fixed if none of its lines is left, unless most seats that
    answer still hold it; open if a seat raises it ``again``; otherwise its lines decide and, if
    some of them changed, the seats' answers. It is ``fresh`` if a seat raises it again on lines
    that changed.
    """
    given = finding.reasons.items()
    gone = {s for s, a in given if a.position in GONE and s not in finding.unshown}
    held = {s for s, a in given if s in finding.by or a.position is Position.KEEP} - gone
    if demand.fate is Fate.REPLACED:
        fixed = len(held) <= len(gone) and not finding.proven_now and not fresh
    elif again:
        fixed = False
    elif demand.fate in (Fate.SAME, Fate.MOVED):
        if len(gone) * 2 > len(debate.voters):
            return FindingState.WITHDRAWN
        fixed = False
    else:
        fixed = demand.fate is Fate.GONE or demand.proven or len(gone) > len(held)
    return FindingState.RESOLVED if fixed else FindingState.OPEN


def role_behind(debate: Debate, raised: Raised, demand: Demand | None) -> str:
    """Returns the role in which a wording was raised, also in an earlier run."""
    if raised.seat == EARLIER and demand is not None:
        return demand.role
    if raised.seat in (EARLIER, REMARK):
        return ""
    if raised.seat in (CODE, SCANNER):
        return "security"
    return debate.open.script.seat(raised.seat).role
