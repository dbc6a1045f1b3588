"""Passes the findings of one run to the next run on the same change, as facts to ask about."""

from __future__ import annotations

from core.debate import Debate
from core.material import EarlierFinding
from core.replies import Finding
from core.verdict.findings import CODE, FindingState, MergedFinding, merge_findings, role_behind


def earlier_findings(debate: Debate) -> tuple[EarlierFinding, ...]:
    """Returns the findings for the next run on the same change: the open ones, and those that
    people called not real, so that no seat raises them anew.
    """
    return tuple(
        EarlierFinding(
            id=finding.id,
            mark=finding.mark,
            severity=finding.wording.severity.value,
            confidence=finding.wording.confidence,
            title=finding.wording.title,
            path=finding.wording.path,
            line=finding.wording.line,
            side=finding.wording.side,
            quote=finding.wording.quote,
            trigger=finding.wording.trigger,
            fix=finding.wording.fix,
            disputed=finding.state is FindingState.DISPUTED,
            proven=_only_code(finding),
            holders=finding.holders,
            role=role_behind(debate, finding.raised[0], finding.earlier),
            extent=_extent(finding.wording),
            blocked=finding.blocking,
        )
        for finding in merge_findings(debate)
        if finding.state in (FindingState.OPEN, FindingState.DISPUTED) and finding.wording.anchored
    )


def _only_code(finding: MergedFinding) -> bool:
    if finding.earlier is not None and len(finding.raised) == 1:
        return finding.earlier.proven
    return all(r.seat == CODE for r in finding.raised)


def _extent(finding: Finding) -> int:
    if finding.line is None or finding.end is None:
        return 0
    return finding.end - finding.line + 1
