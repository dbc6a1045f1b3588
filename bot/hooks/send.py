"""Sends messages for webhooks from the outbox to their addresses: each at least once, in the order
of its debate, for three days at most, signed anew at each attempt.

An address that is busy or away is left alone for a while as a whole, so that it delays no other.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from random import Random

import aiohttp

from adapters.hooks.sending import make_session, send
from adapters.ports.chat import Chat
from bot.hooks.keys import valid_secrets
from bot.keep import keep
from bot.posting.private import tell
from core.application.presence import DeliveryError, Ref
from core.application.webhooks import PLATFORM, Hook
from core.debate.material.plaintext import neutral
from core.debate.ports import Clock
from core.languages import msgid
from storage.claims import UNPACED, Delivery, PlaceShare
from storage.hooks import Hooks
from storage.outbox import Outbox

logger = logging.getLogger(__name__)

WAITS = (5.0, 300.0, 1800.0, 7200.0, 18_000.0, 36_000.0, 50_400.0, 72_000.0, 86_400.0)
"""Seconds to wait after each failed attempt, as in Standard Webhooks: 76 hours in all. After
them the message is given up and the webhook ends.
"""
IDLE = 5.0
"""Seconds between two reads of the outbox without a wake-up."""
AT_ONCE = 64
"""The most attempts under way at a time."""
AT_ONE = 8
"""The most attempts to one address at a time, so that those that hang delay no other address."""
_REST = 60.0
"""The most seconds for which a busy or absent address gets no other message."""
_GATHER = 0.02
"""Seconds to wait after a wake-up, in which more messages may come and attempts may end."""
_LAST_WAIT = 4.0
GONE = msgid("The address answered 410: it wants no more.")
GIVEN_UP = msgid("It did not answer for three days.")

Tell = Callable[[Hook, str], Awaitable[None]]


@dataclass(slots=True)
class HookSender:
    """Sends messages. ``inside`` are the private hosts that the operator allows. ``tell`` tells the
    person who added a webhook why it ended.
    """

    hooks: Hooks
    outbox: Outbox
    clock: Clock
    owner: str
    signing_key: str
    inside: Collection[str]
    tell: Tell
    waits: Sequence[float] = WAITS
    idle: float = IDLE
    random: Random = field(default_factory=Random)
    _in_flight: dict[asyncio.Task[None], str] = field(default_factory=dict)
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Sends until it is cancelled; attempts under way then get a moment to end."""
        async with make_session(self.inside) as web:
            try:
                await keep("hook", partial(self._send, web), self.idle, asyncio.Event())
            finally:
                if self._in_flight:
                    _, late = await asyncio.wait(self._in_flight, timeout=_LAST_WAIT)
                    for task in late:
                        task.cancel()

    async def _send(self, web: aiohttp.ClientSession) -> None:
        """Begins attempts as messages come and room is left, without an end."""
        while True:
            taken = await self._claim()
            for delivery in taken:
                task = asyncio.create_task(self._deliver(web, delivery), name=delivery.key)
                self._in_flight[task] = delivery.place
                task.add_done_callback(self._let_go)
            if not taken:
                await self._wait()

    async def _wait(self) -> None:
        """Waits until there may be something to send: a moment after news or after the end of an
        attempt.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(self.idle):
                if not self._ended.is_set():
                    await self.outbox.wake_event.wait()
                await asyncio.sleep(_GATHER)

    async def _claim(self) -> list[Delivery]:
        self._ended.clear()
        free = AT_ONCE - len(self._in_flight)
        if free <= 0:
            await asyncio.wait(self._in_flight, return_when=asyncio.FIRST_COMPLETED)
            return []
        if not await self.outbox.has_open((PLATFORM,)):
            return []
        share = PlaceShare(AT_ONE, Counter(self._in_flight.values()))
        return await self.outbox.claim(
            self.owner, free, pace={PLATFORM: UNPACED}, reactions=0, share=share
        )

    def _let_go(self, task: asyncio.Task[None]) -> None:
        """Ends a task, so that the messages that waited for it are read: the next about its debate,
        others to its address.
        """
        del self._in_flight[task]
        self._ended.set()
        self.outbox.wake_event.set()

    async def _deliver(self, web: aiohttp.ClientSession, delivery: Delivery) -> None:
        try:
            await self._attempt(web, delivery)
        except Exception:  # the claim runs out, and another process tries again
            logger.exception("a webhook broke", extra={"action": "hook", "key": delivery.key})

    async def _attempt(self, web: aiohttp.ClientSession, delivery: Delivery) -> None:
        hook = await self.hooks.find(delivery.place.partition(":")[2])
        text = delivery.body.get("text", "")
        if hook is None:
            await self.outbox.mark_dead(delivery, "taken back")
            return
        if hook.ended or not text:
            await self.outbox.mark_dead(delivery, hook.ended)
            return
        now = self.clock.now()
        id = str(delivery.body["id"])
        keys = valid_secrets(self.signing_key, hook, now)
        answer = await send(web, hook.address, id, str(text), keys, now)
        if answer.arrived:
            await self.outbox.mark_sent(delivery, Ref(delivery.place, "", ()))
        elif answer.gone:
            await self._end(hook, GONE)
            await self.outbox.mark_dead(delivery, answer.words)
        elif (wait := self._wait_after(delivery)) is None:
            await self._end(hook, GIVEN_UP)
            await self.outbox.mark_dead(delivery, answer.words)
        else:
            wait = max(wait, answer.after)
            if answer.busy:
                await self.outbox.block(delivery, max(answer.after, min(wait, _REST)))
            await self.outbox.retry_later(delivery, wait, answer.words)

    def _wait_after(self, delivery: Delivery) -> float | None:
        """Returns the seconds until the next attempt, None after the last.

        They follow the time since the first attempt and the number of attempts, whichever is less:
        a sender that died made no attempts meanwhile, and a clock that was set shows time that
        nobody waited.
        """
        tried = (delivery.claimed_at - delivery.first_attempt_at).total_seconds()
        step = min(bisect(list(accumulate(self.waits)), tried), delivery.attempt - 1)
        if step == len(self.waits):
            return None
        return self.waits[step] * self.random.uniform(1.0, 1.1)

    async def _end(self, hook: Hook, why: str) -> None:
        if await self.hooks.end(hook.id, why):
            await self.tell(hook, why)


async def tell_why_it_ended(chats: Mapping[str, Chat], hook: Hook, why: str) -> None:
    """Sends the person who added the webhook the reason why it ended, if a chat reaches them; the
    log has it in any case.
    """
    facts = {"action": "hook_ended", "hook": hook.id, "reason": why}
    logger.warning("a webhook gets nothing more", extra=facts)
    text = f"Nothing more is sent to {neutral(hook.address)}. {why} `hooks test {hook.id}` tries."
    try:
        await tell(chats, hook.place, hook.made_by, text, direct=True)
    except DeliveryError:
        logger.info("no message reached anybody", extra=facts)
