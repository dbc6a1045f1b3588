"""The rule of a code review that says which open findings must be fixed before the change goes in.

Plain values in, a plain answer out, so that the rule can be read, tested and simulated alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.replies import Finding, Severity

SURE = 0.6
"""The confidence from which a wording counts."""
MAJORITY = 0.5
"""The share of all entitled seats that must be exceeded by the holders of a finding that is only
medium.
"""


@dataclass(frozen=True, slots=True)
class OutvoteBar:
    """The rule's thresholds: the confidence from which a wording is ``sure``, the severity from
    which one seat ``alone`` can block, and the ``share`` of seats that more must hold for less.
    """

    sure: float = SURE
    alone: Severity = Severity.HIGH
    share: float = MAJORITY


RULE = OutvoteBar()


@dataclass(frozen=True, slots=True)
class ContestedFinding:
    """An open finding as the rule sees it. ``wordings`` are those that still stand. ``holders`` and
    ``disputers`` are numbers of seats among ``entitled``; ``code`` that reported it counts as a
    holder as well. ``certain`` says that code proved it or people confirmed it. ``bar`` are the
    thresholds that count here.
    """

    wordings: Sequence[Finding]
    holders: int
    disputers: int
    entitled: int
    code: bool = False
    certain: bool = False
    bar: OutvoteBar = RULE

    def sure(self, severity: Severity) -> bool:
        """Says whether an anchored wording of at least this severity is held with enough
        confidence.
        """
        return any(
            w.anchored and w.confidence >= self.bar.sure and w.severity.rank >= severity.rank
            for w in self.wordings
        )


def outvoted(held: ContestedFinding) -> bool:
    """Says whether more seats dispute the finding than hold it.

    It never holds for a finding that code proved, that people confirmed, or that is critical,
    anchored and sure: dropping a true one of these does more harm than a needless look.
    """
    return held.disputers > held.holders + held.code and not (
        held.certain or held.sure(Severity.CRITICAL)
    )


def must_be_fixed(held: ContestedFinding) -> bool:
    """Says whether the finding blocks: a sure and anchored wording is high or above and not
    outvoted, or is medium or above and more than half of all entitled seats hold it (or what a
    team's own ``bar`` says instead).

    Source: a simulation of seats with known skill (``python -m tests.bench.judgement``, described
    in ``docs/judgement.md``). Of the rules compared there that ask no further model it costs least
    when a missed defect costs two or five times a false alarm and a block counts only if one of its
    findings is true.
    """
    if held.sure(held.bar.alone) and not outvoted(held):
        return True
    return held.sure(Severity.MEDIUM) and held.holders > held.bar.share * held.entitled
