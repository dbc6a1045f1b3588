"""What a debate has cost so far, summed from what each call reported."""

from __future__ import annotations

from typing import Any

from core.debate import Debate


def cost(debate: Debate) -> dict[str, Any]:
    """The outcome document's ``cost``. ``usd`` is None when no price is known at all; ``unpriced``
    counts turns whose price is unknown.

    What was spent before the opening counts; what a fork took over from its parent does not, for
    the parent paid it.
    """
    before = debate.opened.terms.assessed if debate.opened is not None else None
    used = [
        u
        for u in (before, *debate.usage.values())
        if u is not None and (u.prompt_chars or u.prompt_tokens or u.completion_tokens)
    ]
    unpriced = sum(u.usd is None for u in used)
    return {
        "usd": None
        if used and unpriced == len(used)
        else round(sum(u.usd or 0.0 for u in used), 6),
        "calls": len(used),
        "prompt_tokens": sum(u.prompt_tokens for u in used),
        "cached_tokens": sum(u.cached_tokens for u in used),
        "completion_tokens": sum(u.completion_tokens for u in used),
        "prompt_chars": sum(u.prompt_chars for u in used),
        "unpriced": unpriced,
    }
