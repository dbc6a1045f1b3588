"""What a debate will cost, known to a person before anything is spent, and whether they have to
agree first (``bot.debates.opening.consent``). Where no call can cost money nothing is read and
nothing is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from adapters.commands.requests import ForkRequest
from bot.debates.opening.brief import price_words
from bot.debates.opening.consent import ConsentRule
from bot.debates.service import DebateService
from core.budget import Estimate, dollars
from core.debate import Debate
from core.events import DebateOpened, DebateRequest
from core.ports import Models

_PATIENCE = 20.0
"""Seconds for reading the material; a price that takes longer is unknown."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A price. ``likely`` is in USD, None where nobody knows it; ``asks`` says that somebody has to
    agree first.

    ``cost`` is the whole estimate, None for a fork (only what is still to be said is priced) and
    where there was no time to make one (``late``). ``limit`` is what the debate may cost.
    """

    free: bool = False
    asks: bool = False
    likely: float | None = None
    cost: Estimate | None = None
    limit: float | None = None
    late: bool = False

    @property
    def sentence(self) -> str:
        """As a person reads it; "" where nothing can cost money."""
        if self.free:
            return ""
        if self.late:
            return "The price could not be reckoned in time."
        if self.cost is None:
            return f"Price: {dollars(self.likely)} for what is still to be said."
        return f"Price: {price_words(self.cost, self.limit)}."


FREE = Quote(free=True, likely=0.0)


@dataclass(frozen=True, slots=True)
class Pricing:
    service: DebateService
    models: Models
    consent: ConsentRule
    default_models: tuple[str, ...] = ()

    async def quote(
        self, request: DebateRequest, *, yes: bool = False, budget: bool = False
    ) -> Quote:
        """The price of a debate that has not begun; ``yes`` and ``budget`` say what whoever asks
        gave along.

        Raises ``BadInput`` or ``CouldNotFinish`` where it could not begin at all.
        """
        if self._free(request.models or self.default_models or self.models.default()):
            return FREE
        try:
            async with asyncio.timeout(_PATIENCE):
                prepared = await self.service.prepare_price(request)
        except TimeoutError:
            return Quote(asks=not (yes or budget), late=True)
        likely = prepared.cost.likely
        limit = prepared.opened.terms.budget
        asks = self.consent.asks(likely, yes=yes, budget=budget)
        return Quote(asks=asks, likely=likely, cost=prepared.cost, limit=limit)

    async def quote_fork(self, parent: Debate, asked: ForkRequest) -> Quote:
        """The price of what a fork has still to say. Raises ``BadInput`` as the fork itself, and
        where nobody knows it and that is refused.
        """
        request = parent.request
        _, past = await self.service.prepare_fork(
            parent, asked, asker=request.asker, place=request.place
        )
        opened = next(event for event in past if isinstance(event, DebateOpened))
        names = {name for models in opened.cast.values() for name in models}
        if self._free(names):
            return FREE
        unknown = sorted(n for n in names if self.models.price(n).prompt is None)
        self.consent.require_known(unknown, opened.terms.budget)
        likely = opened.terms.estimate
        return Quote(asks=self.consent.asks(likely, yes=asked.yes), likely=likely)

    def _free(self, names: Iterable[str]) -> bool:
        prices = [self.models.price(name) for name in names]
        return all(price.prompt == 0 and price.completion == 0 for price in prices)
