"""The tokens of a request, as a provider counts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

CHARS_PER_TOKEN = 4
"""The characters of a token, if nobody counted: as providers estimate for their limits."""


def estimated(request: Mapping[str, Any], written: int) -> TokenCounts:
    """Returns the tokens of an answer of that number of characters that nobody counted."""
    read = len(msgspec.json.encode(request)) // CHARS_PER_TOKEN
    return TokenCounts(read, completion=written // CHARS_PER_TOKEN)


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
