"""The price of a debate, known to a person before anything is spent, and whether they have to agree
to it first (``bot.debates.opening.money``).

If no call can cost money, nothing is read and no price is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import fsum

from bot.debates.budgets import turn_cost
from bot.debates.opening.brief import price_words
from bot.debates.opening.money import needs_consent, require_known
from bot.debates.opening.prepare import Prepared
from bot.debates.service import DebateService, condition_of
from bot.settings import Settings
from core.application.commands.requests import ForkRequest
from core.application.permissions.audience import Copy
from core.debate.budget import DUST
from core.debate.budget.pricing import TYPICAL_OUTPUT, Estimate, total
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.events import DebateOpened, DebateRequest
from core.debate.ports import Models
from core.debate.script import Turn
from core.debate.state import Debate
from core.languages import number, say
from core.words.views.documents.comparison import branches_price, condition_words
from core.words.views.language.grammar import amount, dollars

_PATIENCE = 20.0
"""Seconds for reading the material; a price that takes longer is unknown."""
_TOGETHER = 4
"""The most prices that are computed at the same time; others wait."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A price.

    ``likely`` is in USD, None if it is unknown; ``asks`` means that someone has to agree first.
    ``cost`` is the whole estimate; it is None for a fork (only the statements still to come are
    priced) and if there was no time to make one (``late``). ``limit`` is the most that the debate
    may cost, ``around`` how many characters of the code around a change are counted; it may be
    fewer.
    """

    free: bool = False
    asks: bool = False
    likely: float | None = None
    cost: Estimate | None = None
    limit: float | None = None
    late: bool = False
    around: int = 0
    text: str = ""

    @property
    def sentence(self) -> str:
        """Writes the price in a sentence, "" if nothing can cost money."""
        if self.text:
            return self.text
        if self.free:
            return ""
        if self.late:
            return say("The price could not be reckoned in time.")
        if self.cost is None:
            return say("Price: {usd} for the rest of the debate.", usd=dollars(self.likely))
        price = price_words(self.cost, self.limit)
        return say("Price: {price}.", price=f"{price}{_assumption(self.around)}")


FREE = Quote(free=True, likely=0.0)


@dataclass(frozen=True, slots=True)
class Pricing:
    service: DebateService
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_TOGETHER))

    @property
    def models(self) -> Models:
        return self.service.preparer.models

    @property
    def settings(self) -> Settings:
        return self.service.preparer.settings

    async def quote(
        self, request: DebateRequest, *, yes: bool = False, budget: bool = False
    ) -> Quote:
        """Returns the price of a debate that has not begun; ``yes`` and ``budget`` come from the
        request. Raises ``BadInput`` or ``CouldNotFinish`` if the debate could not begin at all.
        """
        if self._free(self.service.preparer.names(request)):
            return FREE
        try:
            priced = await self._priced(request)
        except TimeoutError:
            return Quote(asks=not (yes or budget), late=True)
        cost, terms = priced.cost, priced.opened.terms
        asks = needs_consent(self.settings, cost.likely, yes=yes, budget=budget)
        return Quote(
            asks=asks,
            likely=cost.likely,
            cost=cost,
            limit=terms.budget,
            around=priced.read.around,
        )

    async def line(self, request: DebateRequest) -> str:
        """Returns the price line for a form. Raises as ``quote``."""
        try:
            priced = await self._priced(request)
        except TimeoutError:
            return say("price: could not be reckoned in time")
        price = f"{priced.price}{_assumption(priced.read.around)}"
        return say("price: {price}", price=price)

    async def _priced(self, request: DebateRequest) -> Prepared:
        async with asyncio.timeout(_PATIENCE), self._room:
            return await self.service.price(request)

    async def quote_fork(self, copy: Copy, request: ForkRequest) -> Quote:
        """Returns the price of a fork's statements still to come. Raises ``BadInput`` as the fork
        itself does, and if the price is unknown and such debates are refused.
        """
        asker = copy.debate.request.asker
        _, past = await self.service.prepare_fork(copy, request, asker=asker)
        opened = next(event for event in past if isinstance(event, DebateOpened))
        names = {name for models in opened.cast.values() for name in models}
        if self._free(names):
            return FREE
        unknown = sorted(n for n in names if self.models.price(n).prompt is None)
        require_known(self.settings, unknown, opened.terms.budget)
        likely = opened.terms.estimate
        return Quote(asks=needs_consent(self.settings, likely, yes=request.yes), likely=likely)

    async def quote_objection(self, debate: Debate, turns: Sequence[Turn], *, yes: bool) -> Quote:
        """Returns the price of the answers to an objection to the verdict. Raises ``BadInput`` or
        ``CouldNotFinish`` if the debate's budget or the day's does not hold them, and if the price
        is unknown and such debates are refused.
        """
        added = [t for t in turns if t.seat in debate.open.cast]
        names = {debate.open.cast[t.seat][0] for t in added}
        if self._free(names):
            return FREE
        unknown = sorted(n for n in names if self.models.price(n).prompt is None)
        budget = debate.open.terms.budget
        require_known(self.settings, unknown, budget)
        answers = [t for t in added if not t.closing]
        most = [turn_cost(self.models, debate, t) for t in answers]
        needs = fsum(usd or 0.0 for usd in most) + debate.open.terms.reserve
        if budget is not None and debate.spent + needs > budget + DUST:
            raise BadInput(
                "Its budget of {budget} has {left} left, and the answers may cost up to {needs}. "
                "Start it again with more.",
                budget=amount(budget),
                left=amount(budget - debate.spent),
                needs=amount(needs),
            )
        left = await self.service.budgets.left(debate.request)
        if left is not None and needs > left + DUST:
            raise CouldNotFinish(
                "The day's budget has {left} left, and the answers may cost up to {needs}. A new "
                "day begins at 00:00 UTC.",
                left=amount(left),
                needs=amount(needs),
            )
        each = [turn_cost(self.models, debate, t, output=TYPICAL_OUTPUT) for t in answers]
        likely = total(each)
        return Quote(asks=needs_consent(self.settings, likely, yes=yes), likely=likely)

    async def quote_branches(self, copy: Copy, requests: Sequence[ForkRequest]) -> Quote:
        """Returns the price of several forks together, with a line for each. Raises as
        ``quote_fork``.
        """
        if len(requests) == 1:
            return await self.quote_fork(copy, requests[0])
        each = [await self.quote_fork(copy, one) for one in requests]
        if all(one.free for one in each):
            return FREE
        likely = total([one.likely for one in each])
        names = [condition_words(condition_of(copy.debate.id, one)) for one in requests]
        prices = [(name, dollars(one.likely)) for name, one in zip(names, each, strict=True)]
        asks = needs_consent(self.settings, likely, yes=requests[0].yes)
        price = branches_price(prices, dollars(likely))
        return Quote(asks=asks, likely=likely, text=price)

    def _free(self, names: Iterable[str]) -> bool:
        prices = [self.models.price(name) for name in names]
        return all(price.prompt == 0 and price.completion == 0 for price in prices)


def _assumption(characters: int) -> str:
    if not characters:
        return ""
    return say(
        ", with at most {characters} characters of the code around the change",
        characters=number(characters),
    )
