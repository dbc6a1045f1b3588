"""Lists the seats that disagree, with their reason and what would settle it; dissent is always
retained.
"""

from __future__ import annotations

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
        because = []
        if stance and option != NONE and not same_option(option, decided.decision):
            because.append(stance.because)
        because += [
            f"holds “{f.wording.title}”"
            for f in findings
            if f.state is FindingState.DISPUTED and seat in f.by
        ]
        because += [
            ": ".join(filter(None, (f"disputes “{f.wording.title}”", f.because(seat))))
            for f in findings
            if f.blocking and seat in f.disputed_by
        ]
        because += [
            ": ".join(filter(None, (f"would not block for “{f.wording.title}”", f.because(seat))))
            for f in findings
            if f.blocking and f.contested and seat in f.minor_by
        ]
        because += [
            ": ".join(filter(None, (f"wants “{f.wording.title}” fixed", f.because(seat))))
            for f in findings
            if f.contested and not f.blocking and seat in f.fix_by
        ]
        if because:
            resolves = ""
            if stance:
                resolves = stance.would_resolve_if
            entries.append(
                Dissent(
                    seat,
                    option,
                    "; ".join(filter(None, because)) or NOT_STATED,
                    resolves or NOT_STATED,
                )
            )
    return tuple(entries)
