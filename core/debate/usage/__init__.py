"""The usage of a model call: its tokens and their price."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of a call; ``usd`` is None when the price is unknown, which is not the same as
    free. ``calls`` counts the requests that a provider answered, 0 if the model does not count
    them.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0
    prompt_chars: int = 0
    seconds: float = 0.0
    calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Adds two usages; an unknown price stays unknown."""
        known = self.usd is not None and other.usd is not None
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            usd=(self.usd or 0.0) + (other.usd or 0.0) if known else None,
            prompt_chars=self.prompt_chars + other.prompt_chars,
            seconds=self.seconds + other.seconds,
            calls=self.calls + other.calls,
        )
