"""What a debate has cost so far, summed from what each turn reported."""

from __future__ import annotations

from typing import Any

from core.debate import Debate


def cost(debate: Debate) -> dict[str, Any]:
    """The outcome document's ``cost``. ``usd`` is None when no price is known at all; ``unpriced`` counts turns whose price is unknown."""
    used = [u for turn, u in debate.usage.items() if turn in debate.said or turn in debate.spoke or u.prompt_chars or u.prompt_tokens]
    unpriced = sum(u.usd is None for u in used)
    return {
        "usd": None if used and unpriced == len(used) else round(debate.spent, 6),
        "calls": len(used),
        "prompt_tokens": sum(u.prompt_tokens for u in used),
        "cached_tokens": sum(u.cached_tokens for u in used),
        "completion_tokens": sum(u.completion_tokens for u in used),
        "prompt_chars": sum(u.prompt_chars for u in used),
        "unpriced": unpriced,
    }
