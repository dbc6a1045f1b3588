"""Estimates the cost of a debate before it runs and of each of its calls.

A price is an upper bound: the characters of the material and of what earlier turns may say, at
three characters a token, all of it written into a cache if that costs more, plus every output
token that is allowed, thinking included. A seat that may search the web sends several requests for
one reply. A model without a known price makes the whole price unknown, never cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from core.debate.due.argument import REPLIES, round_of
from core.debate.ports import Price
from core.debate.prompting.size import Size
from core.debate.proof import MOST_PROOFS, MOST_TRIES
from core.debate.replies.tasks import TASKS
from core.debate.script import (
    ARGUED,
    CONTESTED,
    DEBATE,
    About,
    Duty,
    Script,
    SeatId,
    Topic,
    Turn,
    TurnId,
)
from core.debate.template import Template
from core.debate.verdict.findings.contested import MOST_ARGUING
from core.debate.verdict.findings.proofs import AUDIT, PROVE

CHARS_PER_TOKEN = 3.0
_FRAME = 2600
"""The characters of system prompt, instruction and schema around the text that a turn reads
(measured over the shipped templates).
"""
_SHARED = 700
"""The characters of one statement as other seats read it."""
TYPICAL_OUTPUT = 500
"""The output tokens that a turn typically takes; the bound is ``CallOptions.max_tokens``."""
SEARCHING = 4
"""The most requests for one reply of a seat that may search; each repeats the prompt."""
FOUND = 6000
"""The most characters that one search or look-up adds to the prompt."""

_PriceOf = Callable[[str], Price]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A price in USD: ``likely`` with typical answers, ``most`` as the bound; None if a price is
    unknown. ``calls`` counts no repairs; ``most_calls`` includes all that findings may add.
    """

    calls: int
    prompt_tokens: int
    likely: float | None
    most: float | None
    unknown: tuple[str, ...] = ()
    most_calls: int = 0


def _prompt_chars(turn: Turn, size: Size) -> int:
    return _FRAME + size.read_in(turn) + _SHARED * len(turn.reads)


def call_cost(
    turn: Turn,
    model: str,
    size: Size,
    price: _PriceOf,
    output: int | None = None,
    *,
    search: bool = False,
    lookups: bool = False,
) -> float | None:
    """Returns the USD of one reply of ``turn``; None if the model's price is unknown.

    ``output`` is a typical length instead of the bound. ``search`` means that the seat may search
    the web before it answers, which multiplies the bound if its model can; ``lookups`` that it may
    look into the repository, which a model that can does once as a rule.
    """
    p = price(model)
    if p.prompt is None or p.completion is None:
        return None
    chars = _prompt_chars(turn, size)
    looks = lookups and p.tools and not turn.closing
    if output is not None:
        read = 2 * chars + FOUND if looks else chars
        return read / CHARS_PER_TOKEN * p.prompt + output * p.completion
    requests = 1
    if looks or (search and p.tools and not turn.closing):
        requests = SEARCHING
    read = requests * chars + FOUND * sum(range(requests))
    return (
        read / CHARS_PER_TOKEN * max(p.prompt, p.written or 0.0)
        + requests * (TASKS[turn.task].max_tokens + p.thinking) * p.completion
    )


def estimate_price(
    script: Script,
    cast: Mapping[SeatId, tuple[str, ...]],
    size: Size,
    price: _PriceOf,
    *,
    search: bool = False,
    lookups: bool = False,
    settled: Collection[TurnId] = (),
    ahead: Collection[Turn] = (),
) -> Estimate:
    """Returns the price of a whole script, or of its remaining turns; ``ahead`` are turns that may
    be added to it.
    """
    left = [t for t in script.turns if t.id not in settled]
    planned = [t for t in left if t.when != ARGUED]
    rows = [(t, cast[t.seat][0]) for t in planned if t.seat in cast]
    all_rows = [(t, cast[t.seat][0]) for t in (*left, *ahead) if t.seat in cast]
    likely = [call_cost(t, m, size, price, TYPICAL_OUTPUT, lookups=lookups) for t, m in rows]
    most = [call_cost(t, m, size, price, search=search, lookups=lookups) for t, m in all_rows]
    unpriced = (m for (_, m), usd in zip(all_rows, most, strict=True) if usd is None)
    tokens = sum(_prompt_chars(t, size) for t, _ in rows) / CHARS_PER_TOKEN
    return Estimate(
        len(rows),
        round(tokens),
        total(likely),
        total(most),
        tuple(dict.fromkeys(unpriced)),
        len(all_rows),
    )


def closing_reserve(
    script: Script, cast: Mapping[SeatId, tuple[str, ...]], size: Size, price: _PriceOf
) -> float:
    """Returns the USD reserved for the closing turns, so that a debate that runs out of money still
    ends with a report.
    """
    costs = (
        call_cost(t, cast[t.seat][0], size, price)
        for t in script.turns
        if t.closing and t.seat in cast
    )
    return fsum(usd or 0.0 for usd in costs)


def least_price(
    script: Script,
    cast: Mapping[SeatId, tuple[str, ...]],
    size: Size,
    price: _PriceOf,
    *,
    search: bool,
    lookups: bool,
    settled: Collection[TurnId],
) -> float:
    """Returns the USD without which a debate should not begin: the first round that is not settled
    and the closing turns, each call at its bound. Calls with an unknown price count as free.
    """
    left = [
        t
        for t in script.turns
        if t.id not in settled and t.seat in cast and not t.closing and t.when != ARGUED
    ]
    first = min((t.round for t in left), default=0)
    costs = (
        call_cost(t, cast[t.seat][0], size, price, search=search, lookups=lookups)
        for t in left
        if t.round == first
    )
    return fsum(usd or 0.0 for usd in costs) + closing_reserve(script, cast, size, price)


def total(prices: Sequence[float | None]) -> float | None:
    """Returns the sum of prices in USD, None if one is unknown."""
    if any(p is None for p in prices):
        return None
    return fsum(p or 0.0 for p in prices)


def foreseen(template: Template, script: Script, *, prove: bool) -> tuple[Turn, ...]:
    """Returns the turns that the openings of a review, and with ``prove`` its proofs, add to its
    script at most. Their ids mean nothing.
    """
    if not template.findings:
        return ()
    about = About(Topic.FINDING)
    seats = list(dict.fromkeys(t.seat for t in script if t.independent))
    ahead: list[tuple[str, SeatId]] = []
    if script.format == CONTESTED and round_of(script, DEBATE) is not None:
        arguing = seats[:MOST_ARGUING]
        ahead += [("vouch", s.id) for s in script.seats if s.duty is Duty.AUTHOR][:1]
        ahead += [("weigh", seat) for seat in arguing]
        ahead += [("reply", seat) for seat in arguing[: REPLIES.get(len(arguing), 1)]]
        ahead += [("decide", seat) for seat in arguing]
    if prove and seats:
        ahead += [
            (task, seats[n % len(seats)])
            for n in range(MOST_PROOFS)
            for task in (*(PROVE,) * MOST_TRIES, AUDIT)
        ]
    return tuple(Turn(TurnId(""), seat, task, about=about) for task, seat in ahead)


@dataclass(frozen=True, slots=True)
class DaySpent:
    """The spending of one person's debates with one model on one day (UTC)."""

    day: str
    asker: str
    model: str
    usd: float
    calls: int
    unpriced: int
