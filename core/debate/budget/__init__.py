"""Pays for the calls of a running debate: before each, ``Budget`` checks whether it can be paid
while the closing turns' money is reserved, so that a debate that runs out of money still ends with
a report.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from core.debate.due.proving import left_for
from core.debate.log import Call
from core.debate.proof import USD
from core.debate.script import Turn
from core.debate.state import Debate
from core.debate.stored import stored

DEBATE_USED_UP = stored("the debate's budget is used up")
DAY_USED_UP = stored("the day's budget is used up")
PROOF_USED_UP = stored("it might cost more than {usd}, the most for one proof", usd=f"${USD:.2f}")
DUST = 1e-9
"""A tolerance in USD, so that ten dimes make a dollar whatever binary fractions say."""


Cost = Callable[[Debate, Turn, str], float | None]
"""Returns the most USD that one more call of this turn will cost with this model ("": the first of
its cast); None is unknown.
"""
Reserve = Callable[[Sequence[Call], float, float], Awaitable[bool]]
"""Stores calls before they are made, if the daily budget and the person's pay for the USD that the
debate then needs at most; the last argument is the part reserved for its closing turns. Returns
False, with nothing stored, if they do not.
"""


@dataclass(frozen=True, slots=True)
class Budget:
    """The money that a running debate may still spend: its own budget and, through ``reserve``, the
    budgets that it shares with other debates.
    """

    cost: Cost = lambda _debate, _turn, _model: None
    reserve: Reserve | None = None

    async def shortage(
        self, debate: Debate, calls: Sequence[Call], held: Mapping[str, float]
    ) -> str:
        """Names the budget that does not pay for these calls; "" when all do, and then the
        calls are stored if debates share a budget. ``held`` is as for ``pays_for``.
        """
        terms = debate.open.terms
        costs = [
            *(held.get(t.id) or self.cost(debate, t, "") for t in debate.running),
            *(call.estimate for call in calls),
        ]
        needs = fsum(usd or 0.0 for usd in costs) + terms.reserve
        if terms.budget is not None and debate.spent + needs > terms.budget + DUST:
            return DEBATE_USED_UP
        if self.reserve is not None and not await self.reserve(calls, needs, terms.reserve):
            return DAY_USED_UP
        return ""

    def is_beyond_proof(
        self, debate: Debate, turn: Turn, call: Call, held: Mapping[str, float]
    ) -> bool:
        """Return whether a turn that proves a finding might cost more than is left for the proof;
        a call without a known price might not. ``held`` is as for ``pays_for``.
        """
        usd = (call.estimate or 0.0) + held.get(turn.id, 0.0)
        return usd > left_for(debate, turn) + DUST

    async def pays_for(
        self, debate: Debate, turn: Turn, call: Call, held: Mapping[str, float]
    ) -> bool:
        """Return whether one more try of a running turn can be paid; closing turns may use the
        reserve. ``held`` is what each running turn has spent and spends now, by turn.
        """
        if self.is_beyond_proof(debate, turn, call, held):
            return False
        terms = debate.open.terms
        reserve = 0.0 if turn.closing else terms.reserve
        needs = (call.estimate or 0.0) + reserve
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
