"""What a debate will cost, before it runs and before each call.

A price is an upper bound made of what is known: the characters of the material and of what earlier
turns may say, at three characters a token, plus every output token that is allowed, thinking
included. A seat that may search the web asks several times for one reply. A model without a known
price makes the whole unknown, never cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from core.ports import Price
from core.prompting import ALWAYS_WHOLE, EXCERPT
from core.replies.tasks import TASKS
from core.script import Script, SeatId, Turn, TurnId
from core.speaking import MAX_TOKENS

CHARS_PER_TOKEN = 3.0
FRAME = 2600
"""Characters of system prompt, instruction and schema words around what a turn reads (measured over
the shipped templates).
"""
SHARED = 700
"""Characters of one statement as others read it."""
OUTPUT = 500
"""Output tokens that a turn typically takes; the bound is what ``CallOptions.max_tokens``
allows.
"""
SEARCHING = 4
"""Requests for one reply of a seat that may search, at most; each repeats the prompt."""
FOUND = 6000
"""Characters that one search adds to the prompt, at most."""

PriceOf = Callable[[str], Price]


@dataclass(frozen=True, slots=True)
class Estimate:
    """USD: ``likely`` with typical answers, ``most`` as the bound; None where a price is unknown.
    ``calls`` without repairs.
    """

    calls: int
    prompt_tokens: int
    likely: float | None
    most: float | None
    unknown: tuple[str, ...] = ()


def prompt_chars(turn: Turn, material: int) -> int:
    whole = TASKS[turn.task].whole or material <= ALWAYS_WHOLE
    return FRAME + (material if whole else EXCERPT) + SHARED * len(turn.reads)


def call_cost(
    turn: Turn,
    model: str,
    material: int,
    price: PriceOf,
    output: int | None = None,
    *,
    search: bool = False,
) -> float | None:
    """USD of one reply of ``turn``; None where the model's price is unknown. ``output`` is a
    typical length instead of the bound.

    ``search`` says that the seat may search the web before it answers, which multiplies the bound.
    """
    p = price(model)
    if p.prompt is None or p.completion is None:
        return None
    chars = prompt_chars(turn, material)
    if output is not None:
        return chars / CHARS_PER_TOKEN * p.prompt + output * p.completion
    asked = SEARCHING if search and not turn.closing else 1
    read = asked * chars + FOUND * sum(range(asked))
    return (
        read / CHARS_PER_TOKEN * p.prompt
        + asked * (MAX_TOKENS.get(turn.task, 1400) + p.thinking) * p.completion
    )


def estimate(
    script: Script,
    cast: Mapping[SeatId, tuple[str, ...]],
    material: int,
    price: PriceOf,
    *,
    search: bool = False,
    settled: Collection[TurnId] = (),
) -> Estimate:
    """The price of a whole script, or of what is left of it.

    ``material`` is its length in characters.
    """
    rows = [
        (turn, cast[turn.seat][0])
        for turn in script.turns
        if turn.seat in cast and turn.id not in settled
    ]
    likely = [call_cost(t, m, material, price, OUTPUT) for t, m in rows]
    most = [call_cost(t, m, material, price, search=search) for t, m in rows]
    unknown = tuple(dict.fromkeys(m for (_, m), usd in zip(rows, most, strict=True) if usd is None))
    tokens = sum(prompt_chars(t, material) for t, _ in rows) / CHARS_PER_TOKEN
    return Estimate(len(rows), round(tokens), _sum(likely), _sum(most), unknown)


def reserve(
    script: Script, cast: Mapping[SeatId, tuple[str, ...]], material: int, price: PriceOf
) -> float:
    """USD that must stay for the closing turns, so that a debate that runs out of money still ends
    with a report.
    """
    costs = (
        call_cost(t, cast[t.seat][0], material, price)
        for t in script.turns
        if t.closing and t.seat in cast
    )
    return sum(usd or 0.0 for usd in costs)


def _sum(parts: Sequence[float | None]) -> float | None:
    return None if any(p is None for p in parts) else sum(p or 0.0 for p in parts)


def dollars(usd: float | None) -> str:
    """How a price is shown: ``unknown`` is not ``free``."""
    if usd is None:
        return "unknown"
    return "free" if usd == 0 else f"${usd:.4f}" if usd < 0.01 else f"${usd:.2f}"
