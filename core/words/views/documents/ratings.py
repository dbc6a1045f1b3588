"""Describes how models and panels fared if people found out later whether a verdict held."""

from __future__ import annotations

from core.languages import msgid, percent, say

FEW = msgid("too few to tell")
RIGHT, DISAGREED = (
    msgid("Right, and its 95 % interval"),
    msgid("Who disagreed when a verdict did not hold"),
)
BY_KIND = msgid("By kind of decision")
LIGHTER = msgid("lighter: up to the highest value")


def range_words(low: float, high: float) -> str:
    """Writes the 95 % interval of a share."""
    return say("{low} to {high}", low=percent(low), high=percent(high))


def tokens_words(tokens: float) -> str:
    """Describes the tokens per new point."""
    return say("{tokens} tokens for each new point", tokens=f"{tokens:,.0f}")


def doubted_words(doubted: int, stood: int) -> str:
    """Counts how often a role disagreed with verdicts that held."""
    return say(
        "disagreed with {doubted} of {stood} verdicts that held", doubted=doubted, stood=stood
    )
