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
    used = [u for u in debate.usages if u.prompt_chars or u.prompt_tokens or u.completion_tokens]
    unpriced = sum(u.usd is None for u in used)
    priced = not used or unpriced < len(used)
    return {
        "usd": round(sum(u.usd or 0.0 for u in used), 6) if priced else None,
        "calls": len(used),
        "prompt_tokens": sum(u.prompt_tokens for u in used),
        "cached_tokens": sum(u.cached_tokens for u in used),
        "completion_tokens": sum(u.completion_tokens for u in used),
        "prompt_chars": sum(u.prompt_chars for u in used),
        "unpriced": unpriced,
    }
