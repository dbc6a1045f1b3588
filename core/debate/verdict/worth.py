"""Judges after the openings whether there is anything to debate, and which findings to debate
first.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.debate.events import EndReason, StopOrdered
from core.debate.script import Topic, Turn
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.verdict.consensus import mode_of, seats_needed
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.contested import contested
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.votes import NONE, final_votes, independent_votes


def unanimous(debate: Debate) -> StopOrdered | None:
    """Returns the stop of a debate whose independent votes leave nothing to debate: they all agree,
    enough of them of all entitled, with no stance changed since, no finding open and no challenge.

    In a review the author then has nothing to answer; in any other debate every seat that has not
    spoken yet must speak first.
    """
    if not _asked(debate):
        return None
    votes = [o for o in independent_votes(debate).values() if o != NONE]
    now = {o for o in final_votes(debate).values() if o != NONE}
    needed = seats_needed(mode_of(debate), debate.open.terms.threshold, len(debate.voters))
    if len(set(votes)) != 1 or now != set(votes) or len(votes) < max(2, needed):
        return None
    findings = merge_findings(debate)
    if any(f.state is FindingState.OPEN and (f.evident or f.unplaced) for f in findings) or (
        not debate.open.template.findings and unheard(debate)
    ):
        return None
    text = stored("All {total} independent votes say {why_option}, so there is nothing to debate.")
    if debate.open.template.findings:
        text = stored(
            "All {total} independent votes say {why_option} and no finding is open, so there is "
            "nothing to debate."
        )
    agreed = stored(text, total=len(votes), why_option=votes[0].replace("_", " "))
    return _stop(debate, EndReason.CONSENSUS, agreed)


def needless(debate: Debate) -> StopOrdered | None:
    """Returns the stop of a review whose openings contest nothing that would change the
    decision.
    """
    first = {t.seat for t in debate.turns if t.independent and t.id in debate.finished}
    if (
        not _review(debate)
        or not _asked(debate)
        or _answered(debate)
        or len(first) < max(2, debate.open.terms.quorum)
        or contested(debate)
    ):
        return None
    why = stored("The {count} openings contest nothing.", count=len(first))
    return _stop(debate, EndReason.CONVERGED, why)


def by_worth(findings: Iterable[MergedFinding]) -> tuple[MergedFinding, ...]:
    """Sorts findings by how much a debate about them is worth: first what seats differ on, then
    what would block.
    """
    return tuple(
        sorted(findings, key=lambda m: (not m.contested, not m.grave, -m.wording.severity.rank))
    )


def left(debate: Debate) -> tuple[Turn, ...]:
    """Returns the turns that are still to come, without the closing ones."""
    return tuple(t for t in debate.turns if not t.closing and t.id not in debate.settled)


def unheard(debate: Debate) -> bool:
    """True if an entitled seat that still has a turn has not spoken yet: a stop would
    silence it.
    """
    silent = set(debate.voters) - set(debate.present)
    return any(t.seat in silent for t in left(debate))


def _asked(debate: Debate) -> bool:
    """True if all independent statements are settled and no person asked for a debate anyway."""
    first = [t for t in debate.turns if t.independent]
    wanted = (
        debate.open.terms.anyway
        or debate.challenges
        or any(t.about_the(Topic.HOT_SEAT) for t in debate.turns)
    )
    return not wanted and bool(first) and debate.all_settled(first)


def _review(debate: Debate) -> bool:
    return debate.open.template.findings and not mode_of(debate).is_judged


def _answered(debate: Debate) -> bool:
    """True if a seat has begun to answer the openings: a debate that has begun is carried on to its
    end.
    """
    later = (t for t in debate.turns if not t.independent and not t.closing)
    return any(t.id in debate.started for t in later)


def _stop(debate: Debate, reason: EndReason, why: str) -> StopOrdered:
    """Builds the stop; a review then spends nothing more, not even on a closing statement, because
    code writes its report.
    """
    text = stored("{why} To debate it all the same: fork {id}, or start it with --debate-anyway.")
    detail = stored(text, why=why, id=debate.id)
    return StopOrdered(reason, detail=detail, closing=not _review(debate))
