"""What a run hands on to the next one about the same change: its findings, as facts to ask of."""

from __future__ import annotations

from core.debate import Debate
from core.material import EarlierFinding
from core.replies import Finding
from core.verdict.findings import CODE, MergedFinding, State, merge_findings, role_behind


def carried(debate: Debate) -> tuple[EarlierFinding, ...]:
    """What the next run on the same change is told: what is open, and what people called not real
    so that nobody raises it anew.
    """
    return tuple(
        EarlierFinding(
            id=found.id,
            mark=found.mark,
            severity=found.shown.severity.value,
            confidence=found.shown.confidence,
            title=found.shown.title,
            path=found.shown.path,
            line=found.shown.line,
            side=found.shown.side,
            quote=found.shown.quote,
            trigger=found.shown.trigger,
            fix=found.shown.fix,
            disputed=found.state is State.DISPUTED,
            proven=_only_code(found),
            holders=found.holders,
            role=role_behind(debate, found.raised[0], found.earlier),
            extent=_extent(found.shown),
        )
        for found in merge_findings(debate)
        if found.state in (State.OPEN, State.DISPUTED) and found.shown.anchored
    )


def _only_code(found: MergedFinding) -> bool:
    if found.earlier is not None and len(found.raised) == 1:
        return found.earlier.proven
    return all(r.seat == CODE for r in found.raised)


def _extent(finding: Finding) -> int:
    if finding.line is None or finding.end is None:
        return 0
    return finding.end - finding.line + 1
