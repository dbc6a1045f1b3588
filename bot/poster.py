"""Delivers posts: each once, in the order of its thread, at the pace that a channel allows.

The outbox says what may go now; this loop paces (one post a second in a channel, over all debates), asks the chat, and notes what became of
it. A delivery that was cut off by a crash is looked up before it is sent again; where the platform can't tell, it is marked uncertain and a
person decides. A channel that is gone ends its posts once, tells whoever started, and rests its schedules.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from adapters.posts import Chat, Post, Ref, Sending
from adapters.telling import root_key
from bot.recording import incoming
from core.ports import Clock
from storage.outbox import Arrived, Delivery, Outbox

logger = logging.getLogger(__name__)

PACE = 1.0
"""Seconds between two posts in one channel (Slack: about one a second and channel)."""
TRIES = 8
"""Attempts before a post is given up, with its reason kept."""
LONGEST_WAIT = 300.0
IDLE = 1.0
"""Seconds between two looks when nobody rings."""

Gone = Callable[[str, str, str], Awaitable[None]]
"""Told (place, debate, reason) when a place can't be posted to any more."""
Noted = Callable[[str, str], None]
"""Told (platform, what became of a post) for metrics: sent | retried | dead | uncertain."""


@dataclass(slots=True)
class Poster:
    """``chats`` by platform; posts to a platform that is not connected wait."""

    outbox: Outbox
    chats: Mapping[str, Chat]
    clock: Clock
    owner: str
    gone: Gone | None = None
    noted: Noted = lambda _platform, _what: None
    pace: float = PACE
    _free_at: dict[str, float] = field(default_factory=dict)
    _flying: dict[int, asyncio.Task[None]] = field(default_factory=dict)

    async def run(self) -> None:
        """Until cancelled; deliveries in flight are finished first (they are short)."""
        try:
            while True:
                self.outbox.bell.clear()
                for delivery in await self.outbox.claim(self.owner):
                    self._flying[delivery.id] = asyncio.create_task(self._deliver(delivery), name=f"post:{delivery.key}")
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.outbox.bell.wait(), IDLE)
        finally:
            if self._flying:
                await asyncio.wait(self._flying.values(), timeout=5)

    async def _deliver(self, delivery: Delivery) -> None:
        try:
            await self._paced(delivery)
        except Exception:  # a defect must cost one attempt, not the poster; the lease brings the row back
            logger.exception("delivery failed", extra={"action": "post", "debate": delivery.debate, "key": delivery.key})
        finally:
            self._flying.pop(delivery.id, None)
            self.outbox.bell.set()

    async def _paced(self, delivery: Delivery) -> None:
        chat = self.chats.get(delivery.place.partition(":")[0])
        if chat is None:
            await self.outbox.retry(delivery, 30.0, "this platform is not connected")
            return
        await self._wait_for_turn(delivery.place)
        if not await self.outbox.hold(delivery):
            return  # the claim ran out while this process slept: somebody else has it
        try:
            arrived = await self._send(chat, delivery)
        except Sending as problem:
            await self._settle(delivery, problem)
        else:
            await self.outbox.sent(delivery, arrived)
            self.noted(chat.platform, "sent")

    async def _wait_for_turn(self, place: str) -> None:
        now = self.clock.now().timestamp()
        at = max(now, self._free_at.get(place, 0.0))
        self._free_at[place] = at + self.pace
        if at > now:
            await self.clock.sleep(at - now)

    async def _send(self, chat: Chat, delivery: Delivery) -> Arrived:
        post = incoming(delivery.body)
        if delivery.op == "edit":
            return await self._edit(chat, delivery, post)
        thread = await self._thread(delivery)
        done = list(delivery.done)
        if delivery.doubtful or delivery.attempt > 1:
            try:
                done = list(await chat.find(delivery.place, thread, post, delivery.first_attempt_at)) or done
            except Sending as problem:
                if not delivery.doubtful:
                    raise
                raise Sending("unsure", f"it may have been posted before a restart, and {problem}") from problem
            await self.outbox.arrived_part(delivery, done)
        ref = await chat.send(delivery.place, thread, post, done)
        return Arrived(ref.thread, ref.ids, post.subject)

    async def _edit(self, chat: Chat, delivery: Delivery, post: Post) -> Arrived:
        stands = await self.outbox.arrived(delivery.place, delivery.target)
        if stands is None:
            raise Sending("dead", "the post that it edits never arrived")
        ref = await chat.edit(Ref(delivery.place, stands.thread, stands.ids), post)
        return Arrived(ref.thread, ref.ids, post.subject)

    async def _thread(self, delivery: Delivery) -> str | None:
        """The thread that the debate's root opened in this place; None for the root itself."""
        root = root_key(delivery.debate)
        if delivery.key == root:
            return None
        stands = await self.outbox.arrived(delivery.place, root)
        if stands is None:
            raise Sending("dead", "the debate's first message could not be posted here")
        return stands.thread

    async def _settle(self, delivery: Delivery, problem: Sending) -> None:
        platform = delivery.place.partition(":")[0]
        if problem.kind == "unsure":
            await self.outbox.uncertain(delivery, str(problem))
            self.noted(platform, "uncertain")
        elif problem.kind == "dead" or delivery.attempt >= TRIES:
            reason = str(problem) if problem.kind == "dead" else f"given up after {delivery.attempt} tries: {problem}"
            await self.outbox.dead(delivery, reason)
            self.noted(platform, "dead")
            logger.warning("post is dead", extra={"action": "post_dead", "debate": delivery.debate, "key": delivery.key, "reason": reason})
            if self.gone is not None and problem.kind == "dead":
                await self.gone(delivery.place, delivery.debate, reason)
        else:
            backoff = min(LONGEST_WAIT, 2.0 ** (delivery.attempt - 1))
            after = problem.after if problem.kind == "retry" else 1.0
            if problem.kind == "retry":
                self._free_at[delivery.place] = self.clock.now().timestamp() + after
            await self.outbox.retry(delivery, max(after, backoff if delivery.attempt > 2 else 0.0), str(problem))
            self.noted(platform, "retried")
