"""Amounts of money in words."""

from __future__ import annotations

from core.languages import say


def dollars(usd: float | None) -> str:
    """Writes a price: ``unknown`` is not ``free``."""
    if usd is None:
        return say("unknown")
    if usd == 0:
        return say("free")
    return left_words(usd)


def left_words(usd: float) -> str:
    """Writes an amount that is or was there to spend: less than nothing is nothing."""
    if 0 < usd < 0.01:
        return f"${usd:.4f}"
    return f"${max(0.0, usd):.2f}"
