"""Describes how models and panels fared if people found out later whether a verdict held."""

from __future__ import annotations

FEW = "too few to tell"
RIGHT, DISAGREED = "Right, and its 95 % interval", "Who disagreed when a verdict did not hold"
BY_KIND = "By kind of decision"
LIGHTER = "lighter: up to the highest value"


def range_words(low: float, high: float) -> str:
    """Writes the 95 % interval of a share."""
    return f"{low:.0%} to {high:.0%}"


def tokens_words(tokens: float) -> str:
    """Describes the tokens per new point."""
    return f"{tokens:,.0f} tokens for each new point"


def doubted_words(doubted: int, stood: int) -> str:
    """Counts how often a role disagreed with verdicts that held."""
    return f"disagreed with {doubted} of {stood} verdicts that held"
