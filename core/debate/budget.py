"""Estimates the cost of a debate before it runs and before each call.

A price is an upper bound: the characters of the material and of what earlier turns may say, at
three characters a token, all of it written into a cache if that costs more, plus every output
token that is allowed, thinking included. A seat that
may search the web sends several requests for one reply. A model without a known price makes the
whole price unknown, never cheap. ``Budget`` asks before each call whether it can be paid while the
closing turns' money is reserved, so that a debate that runs out of money still ends with a report.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from types import MappingProxyType

from core.debate.due.argument import NOTHING_FORESEEN, SELDOM, Foreseen
from core.debate.due.proving import left_for
from core.debate.log import Call
from core.debate.ports import Price
from core.debate.prompting.size import Size
from core.debate.proof import USD
from core.debate.replies.tasks import TASKS
from core.debate.script import Script, SeatId, Turn, TurnId
from core.debate.state import Debate

DEBATE_USED_UP, DAY_USED_UP = "the debate's budget is used up", "the day's budget is used up"
PROOF_USED_UP = f"it might cost more than ${USD:.2f}, the most for one proof"
DUST = 1e-9
"""A tolerance in USD, so that ten dimes make a dollar whatever binary fractions say."""
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
    the web before it answers, which multiplies the bound where its model can; ``lookups`` that it
    may look into the repository, which a model that can does once as a rule.
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
    ahead: Foreseen = NOTHING_FORESEEN,
) -> Estimate:
    """Returns the price of a whole script, or of its remaining turns; ``ahead`` are turns that may
    be added to it.
    """
    left = [t for t in script.turns if t.id not in settled]
    planned = [t for t in left if t.when != SELDOM]
    rows = [(t, cast[t.seat][0]) for t in planned if t.seat in cast]
    all_rows = [(t, cast[t.seat][0]) for t in (*left, *ahead.most) if t.seat in cast]
    likely = [call_cost(t, m, size, price, TYPICAL_OUTPUT, lookups=lookups) for t, m in rows]
    most = [call_cost(t, m, size, price, search=search, lookups=lookups) for t, m in all_rows]
    unpriced = (m for (_, m), usd in zip(all_rows, most, strict=True) if usd is None)
    tokens = sum(_prompt_chars(t, size) for t, _ in rows) / CHARS_PER_TOKEN
    return Estimate(
        len(rows),
        round(tokens),
        _sum(likely),
        _sum(most),
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
    search: bool = False,
    lookups: bool = False,
    settled: Collection[TurnId] = (),
) -> float:
    """Returns the USD without which a debate should not begin: the first round that is not settled
    and the closing turns, each call at its bound. Calls with an unknown price count as free.
    """
    left = [
        t
        for t in script.turns
        if t.id not in settled and t.seat in cast and not t.closing and t.when != SELDOM
    ]
    first = min((t.round for t in left), default=0)
    costs = (
        call_cost(t, cast[t.seat][0], size, price, search=search, lookups=lookups)
        for t in left
        if t.round == first
    )
    return fsum(usd or 0.0 for usd in costs) + closing_reserve(script, cast, size, price)


def _sum(parts: Sequence[float | None]) -> float | None:
    if any(p is None for p in parts):
        return None
    return fsum(p or 0.0 for p in parts)


def dollars(usd: float | None) -> str:
    """Writes a price: ``unknown`` is not ``free``."""
    if usd is None:
        return "unknown"
    if usd == 0:
        return "free"
    return left_words(usd)


def left_words(usd: float) -> str:
    """Writes an amount that is or was there to spend: less than nothing is nothing."""
    if 0 < usd < 0.01:
        return f"${usd:.4f}"
    return f"${max(0.0, usd):.2f}"


Cost = Callable[[Debate, Turn, str], float | None]
"""Returns the most USD that one more call of this turn will cost with this model ("": the first of
its cast); None is unknown.
"""
Reserve = Callable[[Sequence[Call], float, float], Awaitable[bool]]
"""Stores calls before they are made, if the daily budget and the person's pay for the USD that the
debate then needs at most; the last argument is the part reserved for its closing turns. Returns
False, with nothing stored, if they do not.
"""


NOTHING_HELD: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Budget:
    """The money that a running debate may still spend: its own budget and, through ``reserve``, the
    budgets that it shares with other debates.
    """

    cost: Cost = lambda _debate, _turn, _model: None
    reserve: Reserve | None = None

    async def shortage(self, debate: Debate, calls: Sequence[Call]) -> str:
        """Names the budget that does not pay for these calls; "" when all do, and then the
        calls are stored where debates share a budget.
        """
        terms = debate.open.terms
        costs = [
            *(self.cost(debate, t, "") for t in debate.running),
            *(call.estimate for call in calls),
        ]
        needs = fsum(usd or 0.0 for usd in costs) + terms.reserve
        if terms.budget is not None and debate.spent + needs > terms.budget + DUST:
            return DEBATE_USED_UP
        if self.reserve is not None and not await self.reserve(calls, needs, terms.reserve):
            return DAY_USED_UP
        return ""

    def is_beyond_proof(self, debate: Debate, turn: Turn, call: Call) -> bool:
        """Return whether a turn that proves a finding might cost more than is left for the proof;
        a call without a known price might not.
        """
        return (call.estimate or 0.0) > left_for(debate, turn) + DUST

    async def pays_for(
        self, debate: Debate, turn: Turn, call: Call, held: Mapping[str, float] = NOTHING_HELD
    ) -> bool:
        """Return whether one more try of a running turn can be paid; closing turns may use the
        reserve. ``held`` is what each running turn has spent and spends now, by turn.
        """
        terms = debate.open.terms
        reserve = 0.0 if turn.closing else terms.reserve
        needs = (call.estimate or 0.0) + reserve
        if (call.estimate or 0.0) + held.get(turn.id, 0.0) > left_for(debate, turn) + DUST:
            return False
        begun = fsum(usd for id, usd in held.items() if id not in debate.settled)
        if terms.budget is not None and debate.spent + begun + needs > terms.budget + DUST:
            return False
        if turn.closing or self.reserve is None:
            return True
        others = (
            held.get(t.id) or self.cost(debate, t, "") or 0.0
            for t in debate.running
            if t.id != turn.id
        )
        return await self.reserve((call,), needs + fsum(others), reserve)


@dataclass(frozen=True, slots=True)
class DaySpent:
    """The spending of one person's debates with one model on one day (UTC)."""

    day: str
    asker: str
    model: str
    usd: float
    calls: int
    unpriced: int
