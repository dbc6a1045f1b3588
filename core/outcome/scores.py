"""Numbers of a report: the judge's scores per criterion, and what code counts from findings.

Never from free text.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from statistics import median

from core.debate import Debate
from core.replies import Severity
from core.script import Duty
from core.verdict.findings import MergedFinding, State

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


def risk(findings: Iterable[MergedFinding]) -> float:
    """0 to 10: the chance that at least one open finding bites, a severity's weight times its
    confidence being the chance of each.
    """
    return 10 * (
        1
        - prod(
            1 - _RISK[f.shown.severity] * f.shown.confidence
            for f in findings
            if f.state is State.OPEN
        )
    )


def risk_level(findings: Iterable[MergedFinding]) -> str:
    """The severity of the worst open finding, else "none found"."""
    open_ones = [f.shown.severity for f in findings if f.state is State.OPEN]
    return max(open_ones, key=lambda s: s.rank).value if open_ones else "none found"
