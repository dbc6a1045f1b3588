"""Reads from a debate what became of its findings, without asking anyone: a later review no longer
finds them, the change was merged over them, people voted.

``outcomes_of`` is the only source of the team's history; every other source of an outcome stores it
as ``FindingJudged`` in the debate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from core.debate.events import Became, ForgeNote
from core.debate.state import Debate
from core.debate.verdict.condition import is_for_show
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.demands import rejection
from core.debate.verdict.findings.merged import EARLIER, FindingState, MergedFinding
from core.debate.verdict.votes import has_majority

_RIGHT: Mapping[str, bool] = {
    Became.FIXED: True,
    Became.REVERTED: True,
    Became.REAL: True,
    Became.NOT_REAL: False,
    Became.WITHDRAWN: False,
    Became.MERGED: False,
}


@dataclass(frozen=True, slots=True)
class FindingOutcome:
    """What became of one finding of a debate, "" while that is open; ``at`` is when it was known.

    ``demanded`` is true if it had to be fixed. ``stated`` is the seats' confidence, ``forecast``
    the share of earlier findings alike that were right, None if too few were known. ``repository``
    is that of the change, "" for any other material, ``place`` that of the debate; ``private`` is
    true if few may know of it.
    """

    mark: str
    category: str
    demanded: bool
    stated: float
    forecast: float | None
    became: str
    at: datetime
    template: str = ""
    repository: str = ""
    place: str = ""
    private: bool = False

    @property
    def right(self) -> bool | None:
        """Whether the finding was right; None while nobody knows, and for an outcome that only a
        newer release knows.
        """
        return _RIGHT.get(self.became)


def outcomes_of(debate: Debate) -> tuple[FindingOutcome, ...]:
    """Returns the outcome of each finding that the debate told people; none for a demonstration, a
    what-if, or a debate without a verdict.
    """
    if debate.opened is None or debate.concluded is None or debate.lost:
        return ()
    if is_for_show(debate):
        return ()
    return tuple(_outcome(debate, m) for m in merge_findings(debate) if _counts(m))


def open_findings(debate: Debate) -> tuple[MergedFinding, ...]:
    """Returns the findings of a finished debate of which nobody knows yet what became."""
    open_marks = {one.mark for one in outcomes_of(debate) if one.right is None}
    return tuple(m for m in merge_findings(debate) if m.mark in open_marks)


def is_settled(debate: Debate) -> bool:
    """Return whether it is known what became of everything that the review demanded; False if it
    demanded nothing, because then nothing shows whether the verdict held.
    """
    demands = [one.right for one in outcomes_of(debate) if one.demanded]
    return bool(demands) and None not in demands


def category_of(finding: MergedFinding) -> str:
    """Returns the finding's category, "" if no seat named one."""
    return finding.category or ""


def is_demand(finding: MergedFinding) -> bool:
    """Return whether the review demanded a fix, whatever people said of it since."""
    if finding.state is FindingState.OPEN:
        return finding.blocking
    if finding.demand is not None:
        return any(r.finding.asks_to_block for r in finding.raised if r.seat == EARLIER)
    return len(finding.fix_by) > len(finding.point.against)


def _counts(finding: MergedFinding) -> bool:
    """Return whether people read it: it counts, and was not taken back before the verdict."""
    fresh = finding.evident and finding.state is not FindingState.WITHDRAWN
    return fresh or finding.demand is not None


def _outcome(debate: Debate, finding: MergedFinding) -> FindingOutcome:
    category, demanded = category_of(finding), is_demand(finding)
    gate = debate.open.terms.gate
    forecast = gate.record(category, demanded=demanded).alike.share if gate is not None else None
    ended = debate.closed or debate.concluded
    assert ended is not None  # noqa: S101 (``outcomes_of`` asks)
    became, at = next(_became(debate, finding), ("", ended.at))
    stated = finding.wording.confidence
    return FindingOutcome(
        finding.mark, category, demanded, stated, forecast, became, at or ended.at
    )


def _became(debate: Debate, finding: MergedFinding) -> Iterator[tuple[str, datetime | None]]:
    """Yields what is known of it, the strongest first: a person's word, people's votes, what later
    reviews found, and what code saw on the forge.
    """
    judged = debate.judged.get(finding.mark)
    if judged is not None and judged.by and judged.became:
        yield judged.became, judged.at
    people = finding.people
    rejected = any(
        note.what == ForgeNote.REJECTED and note.text == rejection(finding) for note in debate.noted
    )
    if rejected or finding.state is FindingState.DISPUTED or has_majority(people, "not_real"):
        yield Became.NOT_REAL, None
    elif sum(people.values()) > 2 * people.get("not_real", 0):
        yield Became.REAL, None
    if finding.state is FindingState.RESOLVED and not finding.successor:
        yield Became.FIXED, None
    if finding.state is FindingState.WITHDRAWN:
        yield Became.WITHDRAWN, None
    if judged is not None and judged.became:
        yield judged.became, judged.at
