"""Delivers posts: each once, in the order of its thread, at the pace that a channel allows.

The outbox returns the posts that may go now; this loop sends them and records the results. A
delivery that was cut off, by a crash or by a connection that broke, is looked up before it is sent
again; if the platform can't look it up, it is marked uncertain and a person decides. A debate whose
first message can't be posted ends its posts there, sends a message to the person who started it,
and pauses the schedules of that channel; if nobody else reads it, it is paused and spends nothing
until it is resumed.

Messages that people can react to and answer are recorded as soon as they are posted, before the
rest of their delivery is done: each part of a long post is recorded before the next one is sent,
and the emojis of a vote are a separate delivery, for which no post waits.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Mapping, Sequence

from adapters.ports.chat import (
    Chat,
    Post,
    Shape,
    people_of,
    with_exchange,
    with_name,
    with_page,
)
from adapters.posts.keys import question_key, root_key
from adapters.tracing import names, span
from bot.keep import keep
from bot.posting.failures import TRIES, Count, Failures, Gone
from bot.posting.private import tell
from bot.posting.record import incoming, reactions_of
from core.application.place import platform_of
from core.application.presence import DeliveryError, DeliveryFailure, Directory, Ref
from core.debate.log import Outgoing, PostOp
from core.languages import ENGLISH, speaking
from storage.claims import (
    EDITS,
    REACTIONS,
    REACTIONS_AT_ONCE,
    UNPACED,
    Delivery,
    Pace,
    Rate,
)
from storage.events.log import NO_ROOT
from storage.leases import FARTHEST
from storage.outbox import Outbox

logger = logging.getLogger(__name__)

PACE = {
    "slack": Pace(Rate(1.0), Rate(1.6, burst=2, reserve=10), workspace=True),
    "discord": Pace(Rate(1.0, burst=3, reserve=1), Rate(1.0, burst=1, reserve=3), threads=True),
}
"""What the platforms allow, over all debates and replicas. Slack: one post a second in a channel
and fifty edits a minute in a workspace. Discord: five of each in five seconds in a channel, and a
thread is one; its client knows the other limits.
"""
LOOK = 1.0
"""Seconds between two reads of the outbox without a wake-up, if nothing waits for its pace."""
_SOON = 0.25
"""The share of a pace after which a row that waits for it is looked for again."""
TAKEN_OVER = "a later debate shows its state there"
"""Why the root of an earlier debate about the same change is edited no more."""
_LAST_WAIT = 4.0
"""Seconds that deliveries in flight get when the poster stops."""


def _ignore(_platform: str, _what: str) -> None:
    """Counts nothing; it is the default if there are no metrics."""


class Poster:
    """Delivers posts. ``chats`` are by platform; posts to a platform that is not connected wait.
    ``owner`` names this process, ``idle`` is in seconds between two reads. ``public_url`` is if
    people reach the room, "" if they can't.
    """

    def __init__(
        self,
        outbox: Outbox,
        chats: Mapping[str, Chat],
        owner: str,
        gone: Gone | None = None,
        count: Count = _ignore,
        paces: Mapping[str, Pace] = PACE,
        idle: float = LOOK,
        public_url: str = "",
    ) -> None:
        self.chats = chats
        self._outbox = outbox
        self._owner = owner
        self._count = count
        self._paces = paces
        self._idle = idle
        self._public_url = public_url
        self._failures = Failures(outbox, gone, count, paces)
        self._in_flight: set[asyncio.Task[None]] = set()
        self._adding_reactions = 0
        self._waits = False

    async def run(self) -> None:
        """Delivers until it is cancelled; deliveries in flight are finished first (they are
        short).
        """
        rates = [rate for pace in self._paces.values() for rate in (pace.posts, pace.edits)]
        soon = min([self._idle, *(_SOON * rate.seconds for rate in rates if rate.seconds)])
        try:
            await keep(
                "post",
                self._begin,
                lambda: soon if self._waits else 5 * self._idle,
                self._outbox.wake_event,
            )
        finally:
            if self._in_flight:
                _, late = await asyncio.wait(self._in_flight, timeout=_LAST_WAIT)
                for task in late:
                    task.cancel()

    async def _begin(self) -> None:
        """Claims the posts that may be sent now and begins to send them."""
        self._waits = await self._outbox.has_open(self.chats)
        if not self._waits:
            return
        claimed, until = await self._claim()
        for delivery in claimed:
            task = asyncio.create_task(self._deliver(delivery, until), name=f"post:{delivery.key}")
            self._in_flight.add(task)
            task.add_done_callback(self._in_flight.discard)

    async def deliver_all(self) -> None:
        """Delivers everything that may be sent now, without waiting for more, for a caller that
        runs no loop.
        """
        claimed, until = await self._claim()
        while claimed:
            await asyncio.gather(*(self._deliver(each, until) for each in claimed))
            claimed, until = await self._claim()

    async def _claim(self) -> tuple[list[Delivery], float]:
        """Claims the posts that may be sent now. Returns them, and the moment of
        ``time.monotonic()`` until which the claim lasts.
        """
        until = time.monotonic() + self._outbox.lease.total_seconds()
        paces = {platform: self._paces.get(platform, UNPACED) for platform in self.chats}
        reactions = REACTIONS_AT_ONCE - self._adding_reactions
        return await self._outbox.claim(self._owner, pace=paces, reactions=reactions), until

    async def _deliver(self, delivery: Delivery, until: float) -> None:
        """Sends a claimed row; the claim lasts ``until`` a moment of ``time.monotonic()``."""
        adds_reactions = delivery.op in REACTIONS
        self._adding_reactions += adds_reactions
        platform = platform_of(delivery.place)
        noted = {names.CONVERSATION: delivery.debate, names.PLACE: platform}
        try:
            post = with_page(incoming(delivery.body), self._public_url)
            language = post.facts.get("language", ENGLISH)
            with span(names.POST, noted, debate=delivery.debate, client=True), speaking(language):
                await self._attempt(delivery, post, until)
        except Exception as error:  # a defect costs this post its tries, not the poster its life
            facts = {"action": "post", "debate": delivery.debate, "key": delivery.key}
            logger.exception("delivery failed", extra=facts)
            kind = DeliveryFailure.UNCERTAIN  # it may have come after the message was sent
            if delivery.attempt >= TRIES:
                kind = DeliveryFailure.RETRY
            defect = DeliveryError(kind, f"a defect: {type(error).__name__}", after=5.0)
            await self._failures.settle(delivery, defect, verifying=False)
        finally:
            self._adding_reactions -= adds_reactions
            self._outbox.wake_event.set()

    async def _attempt(self, delivery: Delivery, post: Post, until: float) -> None:
        chat = self.chats[platform_of(delivery.place)]
        verifying = delivery.unconfirmed and delivery.op == PostOp.POST
        try:
            thread = None
            if delivery.op == PostOp.POST:
                thread = await self._thread(delivery, post)
            done = list(delivery.done)
            if verifying:
                done = await self._find(chat, delivery, post, thread, done)
                verifying = False
            if time.monotonic() >= until - self._outbox.lease.total_seconds() / 2:
                until = await self._outbox.renew(delivery)
            if time.monotonic() >= until:
                # this process slept, or took so long, that the claim ran out: somebody else has it
                return
            arrived: Ref | None
            post = await self._addressed(chat, delivery, post)
            if delivery.op == PostOp.POST:
                arrived = await self._send(chat, delivery, post, thread, done)
            else:
                arrived = await self._change(chat, delivery, post)
        except DeliveryError as problem:
            await self._failures.settle(delivery, problem, verifying=verifying)
            return
        if arrived is None:
            await self._outbox.mark_dead(delivery, TAKEN_OVER)
            return
        emojis = _emojis(delivery, post)
        recorded = await self._record(
            delivery, self._outbox.mark_sent(delivery, arrived, post.subject, emojis)
        )
        if recorded and delivery.op not in REACTIONS:
            self._count(chat.platform, "sent")

    async def _record(self, delivery: Delivery, recording: Awaitable[bool]) -> bool | None:
        """Records the messages that are posted; False if the claim was lost. None if the store is
        away: then the claim expires, and the post is looked up before it is sent again.
        """
        try:
            return await recording
        except Exception:
            facts = {"action": "post", "debate": delivery.debate, "key": delivery.key}
            logger.exception("what was delivered could not be noted", extra=facts)
            return None

    async def _find(
        self, chat: Chat, delivery: Delivery, post: Post, thread: str | None, done: list[str]
    ) -> list[str]:
        """Returns the parts that are posted already, from the first on, and records them, so that a
        later try continues after them.
        """
        since = delivery.first_attempt_at - FARTHEST  # our clock may have been ahead
        parts = await chat.find(delivery.place, thread, post, since)
        done = max(list(parts), done, key=len)
        await self._outbox.mark_part(delivery, done)
        return done

    async def _addressed(self, chat: Chat, delivery: Delivery, post: Post) -> Post:
        """Returns the post with the name of the person whom it calls by an id, also in a chat if
        nobody knows them, and with the address of the message that it links to.
        """
        try:
            key = post.facts.get("exchange", "")
            here: object = chat
            for person in people_of(post):
                own: object = self.chats.get(platform_of(person))
                if isinstance(own, Directory):
                    name = await own.name_of(person)
                    post = with_name(post, person, name, title=own is not here)
            ref = await self._outbox.find_sent(delivery.place, key) if key else None
            if ref is not None and isinstance(here, Directory):
                post = with_exchange(post, await here.address_of(ref))
        except DeliveryError as problem:  # the post is worth more than a name or a link
            facts = {"action": "post", "key": delivery.key, "reason": str(problem)}
            logger.warning("a name or a link is missing", extra=facts)
        return post

    async def _send(
        self, chat: Chat, delivery: Delivery, post: Post, thread: str | None, done: list[str]
    ) -> Ref:
        async def record_parts(thread: str, ids: Sequence[str]) -> None:
            arrived = Ref(delivery.place, thread, tuple(ids))
            recording = self._outbox.mark_partly_sent(delivery, arrived, post.subject)
            if await self._record(delivery, recording) is False:
                raise DeliveryError(DeliveryFailure.UNCERTAIN, "another claim sends the rest")

        return await chat.send(delivery.place, thread, post, done, record_parts)

    async def _change(self, chat: Chat, delivery: Delivery, post: Post) -> Ref | None:
        """Edits a posted message, adds reactions to it, or sends a private line; each can be
        repeated without harm. Returns None if a later debate has taken over the message.
        """
        if delivery.op == PostOp.PRIVATE:
            await tell(self.chats, delivery.place, post.to, post.body, direct=post.direct)
            return Ref(delivery.place, "", ())
        ref = await self._outbox.find_sent(delivery.place, delivery.target)
        if ref is None:
            raise DeliveryError(DeliveryFailure.DEAD, NO_ROOT)
        if post.shape is Shape.ROOT and await self._outbox.is_taken_over(delivery.debate, ref):
            return None
        if delivery.op in EDITS:
            return await chat.edit(ref, post)
        await chat.add_reactions(ref, post, delivery.done)
        return ref

    async def _thread(self, delivery: Delivery, post: Post) -> str | None:
        """Returns the thread that the debate's root opened in this place, or None for the root
        itself and for a question about it, unless the root continues in the thread of an earlier
        debate.
        """
        root = root_key(delivery.debate)
        if delivery.key in (root, question_key(root)):
            first_debate = post.facts.get("story", "")
            key = root_key(first_debate)
            first = await self._outbox.find_sent(delivery.place, key) if first_debate else None
            if first is None:
                return None
            return first.thread
        ref = await self._outbox.find_sent(delivery.place, root)
        if ref is None:
            raise DeliveryError(DeliveryFailure.DEAD, NO_ROOT)
        return ref.thread


def _emojis(delivery: Delivery, post: Post) -> Outgoing | None:
    """Returns the emojis of the post that was just sent or edited."""
    if delivery.op in REACTIONS:
        return None
    return reactions_of(post, delivery.place)
