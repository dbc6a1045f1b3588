"""The rounds in which nobody had to speak, and why."""

from __future__ import annotations

from core.debate import Debate
from core.due.guards import why_skipped
from core.views.language.grammar import capital, listed

NOT_PLAYED = "Not played"


def unplayed(debate: Debate) -> dict[int, str]:
    """Returns, by its 1-based number, why each round was not played of which all turns were
    skipped.
    """
    rounds: dict[int, list[str | None]] = {}
    for turn in debate.turns:
        rounds.setdefault(turn.round + 1, []).append(debate.skipped.get(turn.id))
    return {
        number: why_skipped(reasons[0])
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
    if len(numbers) == 1:
        return f"Round {numbers[0]} was not played: {reason}"
    return f"Rounds {listed([str(n) for n in numbers])} were not played: {reason}"
