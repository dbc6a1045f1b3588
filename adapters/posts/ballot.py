"""The ballot as emoji: one for each of its options."""

from __future__ import annotations

from adapters.ports.chat import ReactionOption
from core.debate.state import Debate

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def ballot_reactions(debate: Debate) -> tuple[ReactionOption, ...]:
    ballot = debate.open.template.ballot
    return tuple(
        ReactionOption(o.emoji or NUMBERS[n % 9], o.option, o.option.replace("_", " "))
        for n, o in enumerate(ballot)
    )
