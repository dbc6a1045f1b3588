"""Takes messages for webhooks out of the outbox and to their addresses: at least once each, in the
order of a debate, over three days, signed anew at each attempt. An address that is full or away is
left alone for a while as a whole, so that it holds nobody else up.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

import aiohttp

from adapters.hooks.sending import make_session, send
from adapters.ports.chat import Chat, DeliveryError
from bot.hooks.keys import HookKeys
from bot.posting.private import tell
from core.material.plaintext import neutral
from core.ports import Clock
from storage.claims import Delivery, Share
from storage.hooks import PLATFORM, Hook, Hooks
from storage.outbox import MessageRef, Outbox

logger = logging.getLogger(__name__)

WAITS = (5.0, 300.0, 1800.0, 7200.0, 18_000.0, 36_000.0, 50_400.0, 72_000.0, 86_400.0)
"""Seconds after each attempt that failed, as Standard Webhooks has them: 76 hours in all. Behind
the last one it is given up and the webhook ends.
"""
IDLE = 0.5
"""Seconds between two looks when nothing is told."""
AT_ONCE = 64
"""Attempts under way."""
AT_ONE = 8
"""Attempts that one address takes at a time, so that those that hang hold nobody else up."""
_REST = 60.0
"""Seconds at most for which an address that is full or away gets nothing else."""
_GATHER = 0.05
"""Seconds in which more may come of what has just been told."""
_LAST_WAIT = 4.0
GONE = "The address answered 410: it wants no more."
GIVEN_UP = "It did not answer for three days."

Tell = Callable[[Hook, str], Awaitable[None]]


@dataclass(slots=True)
class HookSender:
    """``inside`` are hosts that the operator named. ``tell`` says to whoever added a webhook why it
    ended.
    """

    hooks: Hooks
    outbox: Outbox
    clock: Clock
    owner: str
    keys: HookKeys
    inside: Collection[str]
    tell: Tell
    waits: Sequence[float] = WAITS
    idle: float = IDLE
    random: Random = field(default_factory=Random)
    _in_flight: dict[asyncio.Task[None], str] = field(default_factory=dict)

    async def run(self) -> None:
        """Until cancelled; attempts under way get a moment to end."""
        async with make_session(self.inside) as web:
            try:
                while True:
                    taken = await self._claim()
                    for delivery in taken:
                        task = asyncio.create_task(self._deliver(web, delivery), name=delivery.key)
                        self._in_flight[task] = delivery.place
                        task.add_done_callback(self._let_go)
                    if not taken:
                        with suppress(TimeoutError):
                            async with asyncio.timeout(self.idle):
                                await self.outbox.wake_event.wait()
                                await asyncio.sleep(_GATHER)
            finally:
                if self._in_flight:
                    _, late = await asyncio.wait(self._in_flight, timeout=_LAST_WAIT)
                    for task in late:
                        task.cancel()

    async def _claim(self) -> list[Delivery]:
        free = AT_ONCE - len(self._in_flight)
        if free <= 0:
            await asyncio.wait(self._in_flight, return_when=asyncio.FIRST_COMPLETED)
            return []
        try:
            pace = {PLATFORM: 0.0}
            return await self.outbox.claim(
                self.owner, free, pace=pace, reactions=0, share=Share(AT_ONE, self._full())
            )
        except Exception:  # a database that is away comes back; the messages wait in it
            logger.exception("the outbox can't be read", extra={"action": "hook"})
            await asyncio.sleep(self.idle)
            return []

    def _full(self) -> tuple[str, ...]:
        """The places of addresses that have all in hand that they may have."""
        return tuple(place for place, n in Counter(self._in_flight.values()).items() if n >= AT_ONE)

    def _let_go(self, task: asyncio.Task[None]) -> None:
        """Its address has room again, where it was full: what waits for that is looked for."""
        if self._in_flight[task] in self._full():
            self.outbox.wake_event.set()
        del self._in_flight[task]

    async def _deliver(self, web: aiohttp.ClientSession, delivery: Delivery) -> None:
        try:
            await self._attempt(web, delivery)
        except Exception:  # the claim runs out, and whoever is there then tries again
            logger.exception("a webhook broke", extra={"action": "hook", "key": delivery.key})

    async def _attempt(self, web: aiohttp.ClientSession, delivery: Delivery) -> None:
        hook = await self.hooks.find(delivery.place.partition(":")[2])
        text = delivery.body.get("text", "")
        if hook is None or hook.ended or not text:
            await self.outbox.mark_dead(delivery, hook.ended if hook else "taken back")
            return
        now = self.clock.now()
        id = str(delivery.body["id"])
        answer = await send(web, hook.address, id, str(text), self.keys.valid(hook, now), now)
        if answer.arrived:
            await self.outbox.mark_sent(delivery, MessageRef("", ()))
        elif answer.gone:
            await self._end(hook, GONE)
            await self.outbox.mark_dead(delivery, answer.words)
        elif delivery.attempt > len(self.waits):
            await self._end(hook, GIVEN_UP)
            await self.outbox.mark_dead(delivery, answer.words)
        else:
            wait = self.waits[delivery.attempt - 1] * self.random.uniform(0.9, 1.1)
            wait = max(wait, answer.after)
            if answer.busy:
                await self.outbox.block(delivery.place, max(answer.after, min(wait, _REST)))
            await self.outbox.retry_later(delivery, wait, answer.words)

    async def _end(self, hook: Hook, why: str) -> None:
        if await self.hooks.end(hook.id, why):
            await self.tell(hook, why)


async def tell_why_it_ended(chats: Mapping[str, Chat], hook: Hook, why: str) -> None:
    """To whoever added it, where a chat reaches them; the log says it in any case."""
    facts = {"action": "hook_ended", "hook": hook.id, "reason": why}
    logger.warning("a webhook gets nothing more", extra=facts)
    text = f"Nothing more is sent to {neutral(hook.address)}. {why} `hooks test {hook.id}` tries."
    try:
        await tell(chats, hook.place, hook.made_by, text, direct=True)
    except DeliveryError:
        logger.info("nobody could be told", extra=facts)
