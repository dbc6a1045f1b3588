"""The budgets that debates share: the most that all of one day, and one person's day, may cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.platforms import account_of
from core.debate.budget.pricing import call_cost
from core.debate.events import DebateRequest
from core.debate.log import Call
from core.debate.ports import Clock, Models
from core.debate.prompting.size import size_read
from core.debate.script import Turn
from core.debate.state import Debate
from storage.debates.calls import Limit, Spending
from storage.events.log import DebateLog


@dataclass(frozen=True, slots=True)
class SharedBudgets:
    """``daily`` and ``person`` are USD a day (UTC); None sets no limit."""

    spending: Spending
    clock: Clock
    daily: float | None = None
    person: float | None = None

    async def left(self, request: DebateRequest, debate: str = "") -> float | None:
        """Returns the USD that the strictest limit leaves to a request, at least 0, or None without
        limits. The spending of ``debate`` itself is not counted.
        """
        limits = self._limits(request)
        if not limits:
            return None
        return max(0.0, await self.spending.left(limits, debate))

    async def reserve(
        self,
        log: DebateLog,
        request: DebateRequest,
        calls: Sequence[Call],
        needs: float,
        keep: float,
    ) -> bool:
        """Records calls before they are made, if every limit leaves ``needs`` USD (see
        ``storage.debates.calls.Spending.reserve``). Raises ``Fenced``.
        """
        limits = self._limits(request)
        return not limits or await self.spending.reserve(log, calls, needs, keep, limits)

    def _limits(self, request: DebateRequest) -> Sequence[Limit]:
        start = day_of(self.clock.now())
        limits: list[Limit] = []
        if self.daily is not None:
            limits.append(Limit(self.daily, start))
        if self.person is not None:
            limits.append(Limit(self.person, start, account_of(request.asker)))
        return limits


def day_of(now: datetime) -> datetime:
    """Returns the start of the day (UTC) over which budgets count."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def turn_cost(
    models: Models, debate: Debate, turn: Turn, model: str = "", output: int | None = None
) -> float | None:
    """Returns the most USD that one call of a turn can cost with this model ("": the first of its
    cast), or with ``output`` tokens what it typically does; None if the price is unknown.
    """
    terms, cast = debate.open.terms, debate.open.cast.get(turn.seat)
    if not cast:
        return 0.0
    size, price, name = size_read(debate), models.price, model or cast[0]
    return call_cost(turn, name, size, price, output, search=terms.search, lookups=terms.lookups)
