"""What a debate will cost, said to a person in a chat before anything is spent.

As in the shell: up to the house's limit it is only said, above it (and where nobody knows) it is
asked; a ``yes`` or a budget of one's own is consent. Where no call can cost money nothing is read
and nothing is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from adapters.commands.requests import ForkRequest
from bot.debates.fork import fork
from bot.wire import House
from core.budget import dollars
from core.debate import Debate
from core.events import DebateOpened, DebateRequest, Fork
from core.script import SeatId

PATIENCE = 20.0
"""Seconds for reading the material; a price that takes longer is unknown."""
LATE = "The price could not be reckoned in time."


@dataclass(frozen=True, slots=True)
class Quote:
    """``line`` is one sentence, "" where nothing can cost money; ``asks`` says that somebody has to
    agree first.
    """

    line: str = ""
    asks: bool = False


FREE = Quote()


async def quote(house: House, request: DebateRequest) -> Quote:
    """The price of a debate that has not begun.

    Raises ``BadInput`` or ``CouldNotFinish`` where it could not begin at all.
    """
    if _free(house, request.models or house.settings.models or house.models.default()):
        return FREE
    try:
        async with asyncio.timeout(PATIENCE):
            prepared = await house.prepare(request, ask=False)
    except TimeoutError:
        return Quote(LATE, asks=True)
    told = next((line for line in prepared.lines if line.startswith("price:")), "")
    return Quote(f"{told[:1].upper()}{told[1:]}.", _above(house, prepared.estimate.likely))


async def quote_fork(house: House, parent: Debate, ask: ForkRequest) -> Quote:
    """The price of what a fork has still to say. Raises ``BadInput`` as the fork itself."""
    condition = Fork(parent.id, ask.at or 0, SeatId(ask.without), ask.assume, ask.models)
    events = await house.debates.load(parent.id)
    _, past = fork(
        parent, events, parent.id, condition, parent.request, house.models, house.clock.now()
    )
    opened = next(event for event in past if isinstance(event, DebateOpened))
    if _free(house, {name for names in opened.cast.values() for name in names}):
        return FREE
    likely = opened.terms.estimate
    return Quote(f"Price: {dollars(likely)} for what is still to be said.", _above(house, likely))


def _free(house: House, names: Iterable[str]) -> bool:
    prices = [house.models.price(name) for name in names]
    return all(price.prompt == 0 and price.completion == 0 for price in prices)


def _above(house: House, usd: float | None) -> bool:
    return usd is None or usd > house.settings.ask_above
