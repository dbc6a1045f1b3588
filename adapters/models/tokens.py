"""The tokens of a request, as a provider counts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

CHARS_PER_TOKEN = 4
"""The characters of a token, if nobody counted: as providers estimate for their limits."""

LIMITS = ("max_tokens", "max_completion_tokens")
"""The names of the option that bounds an answer."""


def completed(
    tokens: TokenCounts | None, request: Mapping[str, Any], written: int, *, whole: bool
) -> TokenCounts:
    """Returns a provider's counts of an answer of that number of characters, with an estimate of
    those that it did not give, at most as many as the ``request`` allows; of an answer that is not
    ``whole``, it counted only the beginning.
    """
    limits = [request[name] for name in LIMITS if name in request]
    tokens, wrote = tokens or TokenCounts(), min([written // CHARS_PER_TOKEN, *limits])
    if not tokens.prompt:
        read = len(msgspec.json.encode(request)) // CHARS_PER_TOKEN
        tokens = replace(tokens, prompt=read)
    if not tokens.completion or not whole:
        tokens = replace(tokens, completion=max(tokens.completion, wrote))
    return tokens


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """The tokens of one request. ``prompt`` includes ``cached`` (read from the provider's cache)
    and ``written`` (into it), which includes ``kept`` (for an hour); ``usd`` is the provider's own
    charge, if it gives one.
    """

    prompt: int = 0
    cached: int = 0
    written: int = 0
    completion: int = 0
    usd: float | None = None
    kept: int = 0
