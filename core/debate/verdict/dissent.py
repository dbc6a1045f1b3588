"""Lists the seats that disagree, with their reason and what would settle it; dissent is always
retained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.verdict import same_option, verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.votes import NONE, final_votes

NOT_STATED = "not stated"
UNTITLED = stored("untitled finding")
_HOLDS, _DISPUTES = stored("holds “{title}”"), stored("disputes “{title}”")
_EXCUSES = stored("would not block for “{title}”")
_WANTS = stored("wants “{title}” fixed")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A finding on which a seat disagrees with the verdict: a sentence with ``{title}``, and the
    seat's reason.
    """

    text: str
    finding: MergedFinding
    because: str = ""

    def words(self, title: str, text: str = "") -> str:
        """Returns the sentence, or its translation ``text``, with the finding's title."""
        return ": ".join(filter(None, ((text or self.text).format(title=title), self.because)))


@dataclass(frozen=True, slots=True)
class Dissent:
    """The dissent of one seat; ``stance`` is the option that it holds, or ``none``. ``reason`` is
    its own for another option than the decision, ``points`` are the findings on which it
    disagrees; ``would_resolve_if`` is never empty.
    """

    seat: SeatId
    stance: str
    reason: str
    points: tuple[Disagreement, ...]
    would_resolve_if: str

    @property
    def because(self) -> str:
        """The reason and all points in English; never empty."""
        points = (each.words(each.finding.wording.title or UNTITLED) for each in self.points)
        return "; ".join(filter(None, (self.reason, *points))) or NOT_STATED


def dissents(debate: Debate) -> tuple[Dissent, ...]:
    """Return the dissent of each seat whose final stance is not the decision, that holds a finding
    which people dispute, would not block for a finding that blocks, or would for a finding that
    does not.

    If nothing was decided every stance is a dissent.
    """
    entries: list[Dissent] = []
    stances, decided, findings = debate.stances(), verdict(debate), merge_findings(debate)
    for seat, option in final_votes(debate).items():
        _, stance = stances.get(seat, (None, None))
        other = stance and option != NONE and not same_option(option, decided.decision)
        points = tuple(_disagreements(seat, findings))
        if other or points:
            reason = stance.because if stance and other else ""
            resolves = (stance.would_resolve_if if stance else "") or NOT_STATED
            entries.append(Dissent(seat, option, reason, points, resolves))
    return tuple(entries)


def _disagreements(seat: SeatId, findings: Sequence[MergedFinding]) -> Iterator[Disagreement]:
    """Yields on which findings a seat disagrees with the verdict."""
    contested = [f for f in findings if f.contested]
    for f in findings:
        if f.state is FindingState.DISPUTED and seat in f.by:
            yield Disagreement(_HOLDS, f)
    for f in findings:
        if f.blocking and seat in f.disputed_by:
            yield Disagreement(_DISPUTES, f, f.because(seat))
    for f in contested:
        if f.blocking and seat in f.minor_by:
            yield Disagreement(_EXCUSES, f, f.because(seat))
    for f in contested:
        if not f.blocking and seat in f.fix_by:
            yield Disagreement(_WANTS, f, f.because(seat))
