"""What a debate will cost, before it runs and before each call.

A price is an upper bound made of what is known: the characters of the material and of what earlier turns may say, at three characters a
token, plus every output token that is allowed. A model without a known price makes the whole unknown, never cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.ports import Price
from core.prompting import ALWAYS_WHOLE, EXCERPT
from core.script import Script, SeatId, Turn
from core.speaking import MAX_TOKENS
from core.tasks import TASKS

CHARS_PER_TOKEN = 3.0
FRAME = 2600
"""Characters of system prompt, instruction and schema words around what a turn reads (measured over the shipped templates)."""
SHARED = 700
"""Characters of one statement as others read it."""
OUTPUT = 500
"""Output tokens that a turn typically takes; the bound is what ``Asking.max_tokens`` allows."""

PriceOf = Callable[[str], Price]


@dataclass(frozen=True, slots=True)
class Estimate:
    """USD: ``likely`` with typical answers, ``most`` as the bound; None where a price is unknown. ``calls`` without repairs."""

    calls: int
    prompt_tokens: int
    likely: float | None
    most: float | None
    unknown: tuple[str, ...] = ()


def prompt_chars(turn: Turn, material: int) -> int:
    whole = TASKS[turn.task].whole or material <= ALWAYS_WHOLE
    return FRAME + (material if whole else EXCERPT) + SHARED * len(turn.reads)


def call_cost(turn: Turn, model: str, material: int, price: PriceOf, output: int | None = None) -> float | None:
    """USD of one call of ``turn``; None where the model's price is unknown. ``output`` overrides the bound on output tokens."""
    p = price(model)
    if p.prompt is None or p.completion is None:
        return None
    out = output if output is not None else MAX_TOKENS.get(turn.task, 1400)
    return prompt_chars(turn, material) / CHARS_PER_TOKEN * p.prompt + out * p.completion


def estimate(script: Script, cast: Mapping[SeatId, tuple[str, ...]], material: int, price: PriceOf) -> Estimate:
    """The price of a whole script. ``material`` is its length in characters."""
    rows = [(turn, cast[turn.seat][0]) for turn in script.turns if turn.seat in cast]
    likely = [call_cost(t, m, material, price, OUTPUT) for t, m in rows]
    most = [call_cost(t, m, material, price) for t, m in rows]
    unknown = tuple(dict.fromkeys(m for (_, m), usd in zip(rows, most, strict=True) if usd is None))
    tokens = sum(prompt_chars(t, material) for t, _ in rows) / CHARS_PER_TOKEN
    return Estimate(len(rows), round(tokens), _sum(likely), _sum(most), unknown)


def reserve(script: Script, cast: Mapping[SeatId, tuple[str, ...]], material: int, price: PriceOf) -> float:
    """USD that must stay for the closing turns, so that a debate that runs out of money still ends with a report."""
    costs = (call_cost(t, cast[t.seat][0], material, price) for t in script.turns if t.closing and t.seat in cast)
    return sum(usd or 0.0 for usd in costs)


def _sum(parts: Sequence[float | None]) -> float | None:
    return None if any(p is None for p in parts) else sum(p or 0.0 for p in parts)


def dollars(usd: float | None) -> str:
    """How a price is shown: ``unknown`` is not ``free``."""
    if usd is None:
        return "unknown"
    return "free" if usd == 0 else f"${usd:.4f}" if usd < 0.01 else f"${usd:.2f}"
