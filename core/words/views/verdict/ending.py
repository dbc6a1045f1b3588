"""Explains why a debate ends, in the same words before, while and after it does, and why rounds
were not played.
"""

from __future__ import annotations

from core.debate.due.guards import why_skipped
from core.debate.events import STOPPED, WHY_ENDED, EndReason
from core.debate.state import Debate
from core.languages import msgid, say
from core.languages.stored import say_stored
from core.words.views.language.grammar import capital, listed
from core.words.views.language.people import person_name


def why_ending(debate: Debate, reason: EndReason, by: str, detail: str) -> str:
    """Explains why a debate is about to end. ``by`` is the person who stopped it; ``detail`` is the
    text that follows, and it tells a spent budget from spent time.
    """
    match reason:
        case EndReason.COMPLETED:
            return capital(say(WHY_ENDED[reason]))
        case EndReason.HUMAN:
            return say("Stopped by {by}", by=person_name(by))
        case EndReason.BUDGET if detail:
            return say("Ending early")
        case _:
            return say("Ending early because {why}", why=_why(debate, reason))


def _why(debate: Debate, reason: EndReason) -> str:
    """A judge may measure an agreement that the seats' own votes do not show."""
    if reason is EndReason.CONSENSUS and debate.open.script.format == "adversarial":
        return say("the judge measured agreement")
    return say(WHY_ENDED[reason])


def why_ended(debate: Debate) -> str:
    """Explains in a sentence why the debate ended; empty before its end."""
    if debate.concluded is None:
        return ""
    reason = debate.concluded.because
    if reason is EndReason.HUMAN and debate.ended_early is not None and debate.ended_early.by:
        return say("Stopped by {by}.", by=person_name(debate.ended_early.by))
    if reason is EndReason.COMPLETED and unplayed(debate):
        return say("It ended when no more turns were due.")
    if reason in (EndReason.COMPLETED, EndReason.HUMAN, EndReason.ERROR, EndReason.NO_QUORUM):
        return f"{capital(say(WHY_ENDED[reason]))}."
    return say("Ended early because {why}.", why=_why(debate, reason))


def why_lost(debate: Debate) -> str:
    """Returns a sentence with the most frequent reason why turns failed, for a debate without a
    verdict; else "".
    """
    reasons = [reason for reason in debate.failed.values() if reason != STOPPED]
    if not debate.lost or not reasons:
        return ""
    return f"{say_stored(max(reasons, key=reasons.count)).rstrip('.')}."


NOT_PLAYED = msgid("Not played")


def unplayed(debate: Debate) -> dict[int, str]:
    """Returns, by its 1-based number, why each round was not played of which all turns were
    skipped.
    """
    rounds: dict[int, list[str | None]] = {}
    for turn in debate.turns:
        rounds.setdefault(turn.round + 1, []).append(debate.skipped.get(turn.id))
    return {
        number: say_stored(why_skipped(reasons[0]))
        for number, reasons in rounds.items()
        if reasons[0] is not None and None not in reasons
    }


def unplayed_lines(debate: Debate) -> tuple[str, ...]:
    """Returns one sentence for each reason: "Rounds 2, 3 and 4 were not played: the seats
    agree".
    """
    why: dict[str, list[int]] = {}
    for number, reason in unplayed(debate).items():
        why.setdefault(reason, []).append(number)
    return tuple(_line(numbers, capital(reason)) for reason, numbers in why.items())


def _line(numbers: list[int], reason: str) -> str:
    named = listed(list(map(str, numbers)))
    if len(numbers) == 1:
        return say("Round {numbers} was not played: {reason}", numbers=named, reason=reason)
    return say("Rounds {listed} were not played: {reason}", listed=named, reason=reason)
