"""Explains why a debate could not open, to the person who asked for it or owns its schedule."""

from __future__ import annotations

from core.languages import say


def schedule_sentences(command: str, schedule: str, what: str, reason: str) -> str:
    """Tells the owner of a schedule, once, that its runs have begun to fail."""
    return say(
        "Schedule `{schedule}` ({what}) could not debate: {reason} Nothing was posted. "
        "It tries again at its next time, and you hear of it again only after it has "
        "worked. Now: `{command} schedule run {schedule}`; no more: `{command} schedule "
        "remove {schedule}`.",
        schedule=schedule,
        what=what,
        reason=reason,
        command=command,
    )


def person_sentences(command: str, debate: str, what: str, reason: str) -> str:
    """Tells a person why their debate could not start."""
    return say(
        "Debate `{debate}` ({what}) could not start, and only you see this. {reason} "
        "When that is fixed, ask again with `{command}`.",
        debate=debate,
        what=what,
        reason=reason,
        command=command,
    )
