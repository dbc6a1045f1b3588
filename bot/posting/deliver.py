"""Delivers posts: each once, in the order of its thread, at the pace that a channel allows.

The outbox says what may go now; this loop asks the chat and notes what became of it. A delivery
that was cut off, by a crash or by a connection that broke, is looked up before it is sent again;
where the platform can't tell, it is marked uncertain and a person decides. A debate whose first
message can't be posted ends its posts there, tells whoever started it, and pauses the schedules of
that channel; where nobody else reads it, it is paused and spends nothing until it is resumed.

What people can react to and answer is known to the store as soon as it stands, not when all that
belongs to it is done: each part of a long post is noted before the next one is sent, and the emojis
of a vote are a delivery of their own, behind which no post waits.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from adapters.ports.chat import Button, Chat, DeliveryError, Post, Ref, Shape
from adapters.ports.place import platform_of
from adapters.posts.words import root_key
from bot.posting.record import incoming, outgoing, reactions_of
from core.commands import Pause
from core.log import Outgoing
from storage.log import NO_ROOT
from storage.outbox import REACTIONS, REACTIONS_AT_ONCE, Delivery, MessageRef, Outbox

logger = logging.getLogger(__name__)

PACE = {"slack": 1.0}
"""Seconds between two posts in one channel, over all debates and replicas.

Slack allows one a second; others say when it is too fast.
"""
TRIES = 8
"""Attempts before a post is given up, with its reason kept."""
LONGEST_WAIT = 300.0
SETTLING = 2.0
"""Seconds until a message that may have arrived can be expected to be found."""
IDLE = 1.0
"""Seconds between two looks when nobody rings."""

Gone = Callable[[str, str, str], Awaitable[None]]
"""Told (place, debate, reason) when a debate's first message can't be posted."""
Noted = Callable[[str, str], None]
"""Told (platform, what became of a post) for metrics: sent | retried | dead | uncertain."""


@dataclass(slots=True)
class Poster:
    """``chats`` by platform; posts to a platform that is not connected wait."""

    outbox: Outbox
    chats: Mapping[str, Chat]
    owner: str
    gone: Gone | None = None
    noted: Noted = lambda _platform, _what: None
    paces: Mapping[str, float] = field(default_factory=lambda: PACE)
    idle: float = IDLE
    _flying: set[asyncio.Task[None]] = field(default_factory=set)
    _seeding: int = 0

    async def run(self) -> None:
        """Until cancelled; deliveries in flight are finished first (they are short)."""
        try:
            while True:
                self.outbox.wake_event.clear()
                claimed = await self._claim()
                for delivery in claimed:
                    task = asyncio.create_task(self._deliver(delivery), name=f"post:{delivery.key}")
                    self._flying.add(task)
                    task.add_done_callback(self._flying.discard)
                slots = [
                    pace for d in claimed if (pace := self.paces.get(platform_of(d.place), 0.0))
                ]
                with suppress(TimeoutError):
                    async with asyncio.timeout(
                        min([self.idle, *slots])
                    ):  # wait_for of Python 3.11 can swallow a cancellation
                        await self.outbox.wake_event.wait()
        finally:
            if self._flying:
                _, late = await asyncio.wait(self._flying, timeout=4)
                for task in late:
                    task.cancel()

    async def deliver_all(self) -> None:
        """Everything that may be sent now, without waiting for more: for whoever runs no loop."""
        while claimed := await self._claim():
            await asyncio.gather(*map(self._deliver, claimed))

    async def _claim(self) -> list[Delivery]:
        try:
            paces = {platform: self.paces.get(platform, 0.0) for platform in self.chats}
            return await self.outbox.claim(
                self.owner, pace=paces, seeds=REACTIONS_AT_ONCE - self._seeding
            )
        except Exception:  # a database that is away comes back; the posts wait in it
            logger.exception("the outbox can't be read", extra={"action": "post"})
            return []

    async def _deliver(self, delivery: Delivery) -> None:
        seeds = delivery.op in REACTIONS
        self._seeding += seeds
        try:
            await self._attempt(delivery)
        except Exception as error:  # a defect costs this post its tries, not the poster its life
            told = {"action": "post", "debate": delivery.debate, "key": delivery.key}
            logger.exception("delivery failed", extra=told)
            await self._settle(
                delivery,
                DeliveryError("retry", f"a defect: {type(error).__name__}", after=5.0),
                verifying=delivery.unconfirmed,
            )
        finally:
            self._seeding -= seeds
            self.outbox.wake_event.set()

    async def _attempt(self, delivery: Delivery) -> None:
        chat = self.chats[platform_of(delivery.place)]
        verifying = delivery.unconfirmed and delivery.op == "post"
        try:
            thread = await self._thread(delivery) if delivery.op == "post" else None
            done = list(delivery.done)
            if verifying:
                done = await self._found(chat, delivery, thread, done)
                verifying = False
            until = await self.outbox.renew(delivery)
            if time.monotonic() >= until:
                # this process slept, or took so long, that the claim ran out: somebody else has it
                return
            arrived = await (
                self._send(chat, delivery, thread, done)
                if delivery.op == "post"
                else self._change(chat, delivery)
            )
        except DeliveryError as problem:
            await self._settle(delivery, problem, verifying=verifying)
        else:
            if (
                await self._noting(
                    delivery, self.outbox.mark_sent(delivery, arrived, _follows(delivery))
                )
                and delivery.op not in REACTIONS
            ):
                self.noted(chat.platform, "sent")

    async def _noting(self, delivery: Delivery, note: Awaitable[bool]) -> bool:
        """Notes what stands.

        Where the store is away then, the claim runs out, and it is looked up before anything is
        sent again.
        """
        try:
            return await note
        except Exception:
            told = {"action": "post", "debate": delivery.debate, "key": delivery.key}
            logger.exception("what was delivered could not be noted", extra=told)
            return False

    async def _found(
        self, chat: Chat, delivery: Delivery, thread: str | None, done: list[str]
    ) -> list[str]:
        """The parts that stand there already, from the first on; remembered, so that a later try
        goes on after them.
        """
        found = list(
            await chat.find(
                delivery.place, thread, incoming(delivery.body), delivery.first_attempt_at
            )
        )
        done = max(found, done, key=len)
        await self.outbox.mark_part(delivery, done)
        return done

    async def _send(
        self, chat: Chat, delivery: Delivery, thread: str | None, done: list[str]
    ) -> MessageRef:
        post = incoming(delivery.body)

        async def stands(thread: str, ids: Sequence[str]) -> None:
            await self._noting(
                delivery,
                self.outbox.mark_partly_sent(
                    delivery, MessageRef(thread, tuple(ids), post.subject)
                ),
            )

        ref = await chat.send(delivery.place, thread, post, done, stands)
        return MessageRef(ref.thread, ref.ids, post.subject)

    async def _change(self, chat: Chat, delivery: Delivery) -> MessageRef:
        """Edits or seeds a post that stands: either can be done again without harm."""
        post = incoming(delivery.body)
        stands = await self.outbox.find_sent(delivery.place, delivery.target)
        if stands is None:
            raise DeliveryError("dead", NO_ROOT)
        ref = Ref(delivery.place, stands.thread, stands.ids)
        if delivery.op == "edit":
            ref = await chat.edit(ref, post)
        else:
            await chat.add_reactions(ref, post, delivery.done)
        return MessageRef(ref.thread, ref.ids, post.subject)

    async def _thread(self, delivery: Delivery) -> str | None:
        """The thread that the debate's root opened in this place; None for the root itself and for
        a question about it.
        """
        root = root_key(delivery.debate)
        if delivery.key in (root, question_key(root)):
            return None
        stands = await self.outbox.find_sent(delivery.place, root)
        if stands is None:
            raise DeliveryError("dead", NO_ROOT)
        return stands.thread

    async def _settle(self, delivery: Delivery, problem: DeliveryError, *, verifying: bool) -> None:
        """Notes what a failure means.

        ``verifying``: it was the look-up that failed, so nothing was sent and the doubt remains.
        """
        platform = platform_of(delivery.place)
        if problem.done:
            await self.outbox.mark_part(delivery, problem.done)
        last = delivery.attempt >= TRIES
        wait = max(
            problem.after,
            min(LONGEST_WAIT, 2.0 ** (delivery.attempt - 2)) if delivery.attempt > 1 else 0.0,
        )
        if problem.kind == "retry" and not last:
            if problem.after > self.paces.get(platform, 0.0) and delivery.op not in REACTIONS:
                await self.outbox.block(delivery.place, problem.after)
            await (self.outbox.verify_later if verifying else self.outbox.retry_later)(
                delivery, wait, str(problem)
            )
            self.noted(platform, "retried")
        elif problem.kind == "uncertain" and not verifying and not last:
            await self.outbox.verify_later(delivery, max(SETTLING, wait), str(problem))
            self.noted(platform, "retried")
        elif verifying or (problem.kind == "uncertain" and delivery.op == "post"):
            await self._ask(delivery, str(problem))
        else:
            await self._give_up(
                delivery,
                str(problem)
                if problem.kind == "dead"
                else f"given up after {delivery.attempt} tries: {problem}",
            )

    async def _ask(self, delivery: Delivery, reason: str) -> None:
        """Nobody can tell whether it arrived: a person is asked once, in the thread, and nothing is
        sent blindly.
        """
        ask = (
            None
            if delivery.key.endswith(question_key(""))
            else outgoing(question(delivery, reason), delivery.place)
        )
        if await self.outbox.mark_uncertain(delivery, reason, ask):
            self.noted(platform_of(delivery.place), "uncertain")
            told = {
                "action": "post_uncertain",
                "debate": delivery.debate,
                "key": delivery.key,
                "reason": reason,
            }
            logger.warning("a post may or may not have arrived", extra=told)

    async def _give_up(self, delivery: Delivery, reason: str) -> None:
        first = delivery.key == root_key(delivery.debate)
        unread = Pause("", f"I can't post it: {reason}") if first else None
        tell = (
            outgoing(unseeded(delivery, reason), delivery.place)
            if delivery.op in REACTIONS
            else None
        )
        if not await self.outbox.mark_dead(delivery, reason, unread=unread, tell=tell):
            return
        self.noted(platform_of(delivery.place), "dead")
        told = {
            "action": "post_dead",
            "debate": delivery.debate,
            "key": delivery.key,
            "reason": reason,
        }
        logger.warning("a post is given up", extra=told)
        if self.gone is not None and first:
            await self.gone(delivery.place, delivery.debate, reason)


def _follows(delivery: Delivery) -> Outgoing | None:
    """The emojis of what was just posted or edited."""
    return (
        None if delivery.op in REACTIONS else reactions_of(incoming(delivery.body), delivery.place)
    )


def unseeded(delivery: Delivery, reason: str) -> Post:
    """Says once in a thread that the emojis of a vote are missing, and how to vote all the same."""
    title = "I could not put the emojis of a vote here"
    body = f"{reason} Pick the emoji of the legend yourself, or vote with `/debate vote`."
    return Post(
        f"{delivery.debate}:unseeded",
        delivery.debate,
        Shape.NOTICE,
        title=title,
        body=body,
        fallback=f"{title}: {reason}",
    )


def question_key(key: str) -> str:
    """The key of the post that asks about the post ``key``."""
    return f"{key}?"


def question(delivery: Delivery, reason: str) -> Post:
    """Asks whether a message that may be missing is to be posted again."""
    title = "A message of this debate may be missing here"
    return Post(
        key=question_key(delivery.key),
        debate=delivery.debate,
        shape=Shape.NOTICE,
        title=title,
        body=reason,
        buttons=(Button("repost", "Post it again", f"{delivery.place} {delivery.key}"),),
        fallback=f"{title}: {reason}",
    )
