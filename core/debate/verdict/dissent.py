"""Lists the seats that disagree, with their reason and what would settle it; dissent is always
retained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict import Verdict, same_option
from core.debate.verdict.findings import FindingState, MergedFinding
from core.debate.verdict.votes import NONE, final_votes

NOT_STATED = "not stated"


@dataclass(frozen=True, slots=True)
class Dissent:
    """The dissent of one seat; ``stance`` is the option that it holds, or ``none``;
    ``would_resolve_if`` is never empty.
    """

    seat: SeatId
    stance: str
    because: str
    would_resolve_if: str


def dissents(
    debate: Debate, decided: Verdict, findings: tuple[MergedFinding, ...]
) -> tuple[Dissent, ...]:
    """Return the dissent of each seat whose final stance is not the decision, that holds a finding
    which people dispute, would not block for one that blocks, or would for one that does not.

    If nothing was decided every stance is a dissent.
    """
    entries: list[Dissent] = []
    stances = debate.stances()
    for seat, option in final_votes(debate).items():
        _, stance = stances.get(seat, (None, None))
        because = [*_reasons(seat, findings)]
        if stance and option != NONE and not same_option(option, decided.decision):
            because.insert(0, stance.because)
        if because:
            words = "; ".join(filter(None, because)) or NOT_STATED
            resolves = (stance.would_resolve_if if stance else "") or NOT_STATED
            entries.append(Dissent(seat, option, words, resolves))
    return tuple(entries)


def _reasons(seat: SeatId, findings: Sequence[MergedFinding]) -> Iterator[str]:
    """Yields on which findings a seat disagrees with the verdict."""
    contested = [f for f in findings if f.contested]
    disputes = [f for f in findings if f.blocking and seat in f.disputed_by]
    excuses = [f for f in contested if f.blocking and seat in f.minor_by]
    wants = [f for f in contested if not f.blocking and seat in f.fix_by]
    for f in findings:
        if f.state is FindingState.DISPUTED and seat in f.by:
            yield f"holds “{f.wording.title}”"
    for f in disputes:
        yield _because(f"disputes “{f.wording.title}”", f, seat)
    for f in excuses:
        yield _because(f"would not block for “{f.wording.title}”", f, seat)
    for f in wants:
        yield _because(f"wants “{f.wording.title}” fixed", f, seat)


def _because(words: str, finding: MergedFinding, seat: SeatId) -> str:
    return ": ".join(filter(None, (words, finding.because(seat))))
