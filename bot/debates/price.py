"""What a debate will cost, known to a person in a chat before anything is spent.

As in the shell: up to the configured limit it is only told, above it (and where nobody knows)
somebody has to agree first; a ``yes`` or a budget of one's own is consent. Where no call can cost
money nothing is read and nothing is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from adapters.commands.requests import ForkRequest
from bot.debates.brief import price_words
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
    """``ask_above`` is the price in USD from which somebody has to agree."""

    service: DebateService
    models: Models
    ask_above: float
    default_models: tuple[str, ...] = ()

    async def quote(self, request: DebateRequest) -> Quote:
        """The price of a debate that has not begun.

        Raises ``BadInput`` or ``CouldNotFinish`` where it could not begin at all.
        """
        if self._free(request.models or self.default_models or self.models.default()):
            return FREE
        try:
            async with asyncio.timeout(_PATIENCE):
                prepared = await self.service.prepare_price(request)
        except TimeoutError:
            return Quote(asks=True, late=True)
        likely = prepared.cost.likely
        limit = prepared.opened.terms.budget
        return Quote(asks=self._asks(likely), likely=likely, cost=prepared.cost, limit=limit)

    async def quote_fork(self, parent: Debate, asked: ForkRequest) -> Quote:
        """The price of what a fork has still to say. Raises ``BadInput`` as the fork itself."""
        request = parent.request
        _, past = await self.service.prepare_fork(
            parent, asked, asker=request.asker, place=request.place
        )
        opened = next(event for event in past if isinstance(event, DebateOpened))
        if self._free({name for names in opened.cast.values() for name in names}):
            return FREE
        likely = opened.terms.estimate
        return Quote(asks=self._asks(likely), likely=likely)

    def _free(self, names: Iterable[str]) -> bool:
        prices = [self.models.price(name) for name in names]
        return all(price.prompt == 0 and price.completion == 0 for price in prices)

    def _asks(self, usd: float | None) -> bool:
        return usd is None or usd > self.ask_above
