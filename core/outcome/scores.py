"""Numbers of a report: the judge's scores per criterion, and what code counts from findings.

Never from free text.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from statistics import median

from core.debate import Debate
from core.replies import Severity
from core.replies.tasks import TASKS
from core.script import Duty
from core.verdict.findings import MergedFinding, State, merge_findings

NOT_ASSESSED = "not assessed"
_RISK = {Severity.LOW: 0.1, Severity.MEDIUM: 0.3, Severity.HIGH: 0.6, Severity.CRITICAL: 0.9}


def scores(debate: Debate) -> dict[str, float]:
    """criterion -> [0, 1], only criteria of the rubric, only from seats that judge.

    Several judges: the median of their first scores.
    """
    given: dict[str, dict[str, float]] = {}
    judging = [s.id for s in debate.open.script.seats if s.duty in (Duty.JUDGE, Duty.CHAIR)]
    for turn, statement in debate.statements(judging):
        for criterion, value in statement.scores.items():
            if criterion in debate.open.template.rubric and 0.0 <= value <= 1.0:
                given.setdefault(criterion, {}).setdefault(turn.seat, value)
    return {
        criterion: median(given[criterion].values())
        for criterion in debate.open.template.rubric
        if criterion in given
    }


def asked_for_findings(debate: Debate) -> bool:
    """Whether some seat could report a finding that counts: it was asked for them, and the material
    has lines that one can cite.
    """
    if any(f.evident for f in merge_findings(debate)):
        return True
    asked = any("findings" in TASKS[turn.task].asks for turn, _ in debate.statements())
    return asked and bool(debate.open.material.hunks)


def risk(findings: Iterable[MergedFinding]) -> float:
    """0 to 10: the chance that at least one open finding bites, a severity's weight times its
    confidence being the chance of each.
    """
    return 10 * (
        1
        - prod(
            1 - _RISK[f.shown.severity] * f.shown.confidence
            for f in findings
            if f.state is State.OPEN and f.evident
        )
    )


def risk_level(debate: Debate, findings: Iterable[MergedFinding]) -> str:
    """The severity of the worst open finding that counts, else "none found", or "not assessed"
    where no seat was asked for findings.
    """
    open_ones = [f.shown.severity for f in findings if f.state is State.OPEN and f.evident]
    if open_ones:
        return max(open_ones, key=lambda s: s.rank).value
    if asked_for_findings(debate):
        return "none found"
    return NOT_ASSESSED
