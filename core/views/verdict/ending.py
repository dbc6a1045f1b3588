"""Explains why a debate ends, in the same words before, while and after it does."""

from __future__ import annotations

from core.debate import Debate
from core.events import STOPPED, EndReason
from core.views.course.unplayed import unplayed
from core.views.language.grammar import capital
from core.views.language.people import person_name

WHY = {
    EndReason.COMPLETED: "the debate went to its end",
    EndReason.CONSENSUS: "the seats agree",
    EndReason.CONVERGED: "there is nothing more to learn",
    EndReason.BUDGET: "its budget or its time was used up",
    EndReason.HUMAN: "a person stopped it",
    EndReason.NO_QUORUM: "too few seats could be heard",
    EndReason.ERROR: "it could not be completed",
}


def why_ending(debate: Debate, reason: EndReason, by: str, detail: str) -> str:
    """Explains why a debate is about to end. ``by`` is the person who stopped it; ``detail`` is the
    text that follows, and it tells a spent budget from spent time.
    """
    match reason:
        case EndReason.COMPLETED:
            return capital(WHY[reason])
        case EndReason.HUMAN:
            return f"Stopped by {person_name(by)}"
        case EndReason.BUDGET if detail:
            return "Ending early"
        case _:
            return f"Ending early because {_why(debate, reason)}"


def _why(debate: Debate, reason: EndReason) -> str:
    """A judge may measure an agreement that the seats' own votes do not show."""
    if reason is EndReason.CONSENSUS and debate.open.script.format == "adversarial":
        return "the judge measured agreement"
    return WHY[reason]


def why_ended(debate: Debate) -> str:
    """Explains in a sentence why the debate ended; empty before its end."""
    if debate.concluded is None:
        return ""
    reason = debate.concluded.because
    if reason is EndReason.HUMAN and debate.ended_early is not None and debate.ended_early.by:
        return f"Stopped by {person_name(debate.ended_early.by)}."
    if reason is EndReason.COMPLETED and unplayed(debate):
        return "It ended when nothing more had to be said."
    if reason in (EndReason.COMPLETED, EndReason.HUMAN, EndReason.ERROR, EndReason.NO_QUORUM):
        return f"{capital(WHY[reason])}."
    return f"Ended early because {_why(debate, reason)}."


def why_lost(debate: Debate) -> str:
    """Returns a sentence with the most frequent reason why turns failed, for a debate without a
    verdict; else "".
    """
    reasons = [reason for reason in debate.failed.values() if reason != STOPPED]
    if not debate.lost or not reasons:
        return ""
    return f"{max(reasons, key=reasons.count).rstrip('.')}."
