"""Limits how much one person and one place may have at once. A refusal names the limit, so that the
operator can be asked for more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.limits import Limits
from bot.platforms import account_of, same_account
from core.application.desk import Caller
from core.debate.errors import Refused
from core.debate.ports import Clock
from core.debate.state import Debate
from core.debate.status import LIVE
from core.languages import msgid
from core.words.views.language.grammar import length_of_time, plural
from storage.commands import CommandQueue
from storage.database.alone import Alone
from storage.debates import Debates
from storage.schedules import Schedules

_YOU_HAVE = msgid("You have {many}, and {most} is the most (limit {limit} in DEBATE_LIMITS).")
_PLACE_HAS = msgid(
    "This place has {many}, and {most} is the most (limit {limit} in DEBATE_LIMITS)."
)
_YOU_ASKED = msgid(
    "You asked for {many} in an hour, and {most} is the most (limit {limit} in DEBATE_LIMITS)."
)
_PLACE_ASKED = msgid(
    "People here asked for {many} in an hour, and {most} is the most (limit {limit} in "
    "DEBATE_LIMITS)."
)
_YOU_RAISED = msgid(
    "You raised {many} in a day, and {most} is the most (limit {limit} in DEBATE_LIMITS)."
)
_PLACE_RAISED = msgid(
    "This place had {many} in a day, and {most} is the most (limit {limit} in DEBATE_LIMITS)."
)
_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)


class TooMany(Refused):
    """A person or a place has as much as they may have."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """Checks the limits; the person at this machine has none.

    Each is counted and the new row is stored under one lock, since otherwise many at once, here and
    in other replicas, would all be counted before any is stored.
    """

    limits: Limits
    alone: Alone
    debates: Debates
    schedules: Schedules
    queue: CommandQueue
    clock: Clock
    _prices: dict[str, list[datetime]] = field(default_factory=dict)

    @asynccontextmanager
    async def debate(self, caller: Caller, person: str) -> AsyncIterator[None]:
        """Permits one more debate to be stored inside the block. Raises ``TooMany``."""
        if caller.shell:
            yield
            return
        async with self.alone.within():
            await self.require_debate(person, caller.place)
            yield

    @asynccontextmanager
    async def started(self, person: str, place: str) -> AsyncIterator[None]:
        """Permits one more debate of a schedule or a forge inside the block; ``person`` is "" if
        nobody is known. Raises ``TooMany``.
        """
        async with self.alone.within():
            if person:
                await self.require_debate(person, place)
            else:
                await self.require_place(place)
            yield

    async def require_debate(self, person: str, place: str) -> None:
        """Raises ``TooMany`` if one more debate is too many."""
        running = await self.debates.count_of(LIVE, asker=account_of(person))
        most = self.limits.person_debates
        many = plural(running, "debate that is not over", "debates that are not over")
        _require(running, most, _YOU_HAVE, many, "person-debates")
        await self.require_place(place)

    async def require_place(self, place: str) -> None:
        """Raises ``TooMany`` if one more debate is too many for a place."""
        here = await self.debates.count_of(LIVE, place=place)
        most = self.limits.place_debates
        many = plural(here, "debate that is not over", "debates that are not over")
        _require(here, most, _PLACE_HAS, many, "place-debates")

    @asynccontextmanager
    async def schedule(self, caller: Caller, person: str, pause: float) -> AsyncIterator[None]:
        """Permits one more schedule to be stored inside the block. Raises ``TooMany``, also if this
        one fires too often, with ``pause`` seconds between two firings.
        """
        if caller.shell:
            yield
            return
        async with self.alone.within():
            await self._require_schedule(caller.place, person, pause)
            yield

    async def _require_schedule(self, place: str, person: str, pause: float) -> None:
        least = self.limits.schedule_every
        if pause < least:
            raise TooMany(
                "It would fire every {pause}, and {least} is the least here (limit "
                "schedule-every in DEBATE_LIMITS).",
                pause=length_of_time(pause),
                least=length_of_time(least),
            )
        there = await self.schedules.find_all()
        own = sum(same_account(each.owner, person) for each in there)
        most = self.limits.person_schedules
        _require(own, most, _YOU_HAVE, plural(own, "schedule"), "person-schedules")
        here = sum(each.place == place for each in there)
        most = self.limits.place_schedules
        _require(here, most, _PLACE_HAS, plural(here, "schedule"), "place-schedules")

    @asynccontextmanager
    async def challenge(self, caller: Caller, person: str, debate: Debate) -> AsyncIterator[None]:
        """Permits one more challenge to be stored inside the block. Raises ``TooMany``."""
        if caller.shell:
            yield
            return
        async with self.alone.within():
            await self._require_challenge(person, debate.request.place)
            yield

    @asynccontextmanager
    async def challenge_on_forge(
        self, person: str, place: str, waiting: int
    ) -> AsyncIterator[None]:
        """Permits one more reply on a forge to be stored inside the block. Raises ``TooMany``."""
        async with self.alone.within():
            await self._require_challenge(person, place, waiting)
            yield

    def permit_price(self, caller: Caller, person: str) -> None:
        """Permits one more price to be computed now. Raises ``TooMany``. Prices leave no row, so
        each process counts its own.
        """
        if caller.shell:
            return
        now = self.clock.now()
        for name, times in list(self._prices.items()):
            self._prices[name] = [at for at in times if at > now - _HOUR]
            if not self._prices[name]:
                del self._prices[name]
        own, here = "".join(account_of(person)), caller.place
        there = len(self._prices.get(own, []))
        most = self.limits.person_prices
        _require(there, most, _YOU_ASKED, plural(there, "price"), "person-prices")
        there = len(self._prices.get(here, []))
        most = self.limits.place_prices
        _require(there, most, _PLACE_ASKED, plural(there, "price"), "place-prices")
        for name in (own, here):
            self._prices.setdefault(name, []).append(now)

    async def _require_challenge(self, person: str, place: str, waiting: int = 0) -> None:
        """Raises ``TooMany`` if a person or a place has challenged enough for a day; ``waiting``
        counts their challenges that wait for the next debate.
        """
        since = self.clock.now() - _DAY
        own = await self.queue.count_challenges(since, author=account_of(person))
        most = self.limits.person_challenges
        _require(own + waiting, most, _YOU_RAISED, plural(own, "challenge"), "person-challenges")
        here = await self.queue.count_challenges(since, place=place)
        most = self.limits.place_challenges
        _require(here, most, _PLACE_RAISED, plural(here, "challenge"), "place-challenges")


def _require(there: int, most: int, text: str, many: str, limit: str) -> None:
    if there >= most:
        raise TooMany(text, many=many, most=most, limit=limit)
