"""Decides what follows a failed delivery: another try, a look-up of whether it arrived, a question
to a person in its thread, or its end.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from adapters.ports.chat import Post, Shape
from adapters.posts.keys import challenge_key, question_key, root_key, verdict_key
from bot.posting.record import outgoing
from core.application.desk import Button
from core.application.place import platform_of
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.commands import Pause
from core.debate.log import PostOp
from core.debate.stored import stored
from core.languages import say
from core.languages.stored import say_stored
from storage.claims import EDITS, REACTIONS, UNPACED, Delivery, Pace
from storage.outbox import Outbox

logger = logging.getLogger(__name__)

TRIES = 8
"""Attempts before a post is given up, with its reason stored."""
_LONGEST_WAIT = 300.0
_LONGEST_EDIT_WAIT = 60.0
"""Seconds that a thread's posts wait for an edit; after more, the next edit shows the state."""
_SETTLING = 2.0
"""Seconds until a message that may have arrived can be expected in the thread."""

Gone = Callable[[Delivery, str], Awaitable[None]]
"""Called with the reason when a debate's first message, its verdict or an objection can't be posted
(``bot.serve.lost_place``).
"""
Count = Callable[[str, str], None]
"""Is called for metrics with the platform and the result of a post: sent | retried | dead |
uncertain.
"""


@dataclass(frozen=True, slots=True)
class Failures:
    """Settles failures. ``paces`` are what the platforms allow: a platform that wants a longer
    pause stops the whole channel.
    """

    outbox: Outbox
    gone: Gone | None
    count: Count
    paces: Mapping[str, Pace]
    unedited: set[tuple[str, str]] = field(default_factory=set)
    """The messages that could not be edited, by place and key: the log names each once."""

    async def settle(self, delivery: Delivery, problem: DeliveryError, *, verifying: bool) -> None:
        """Records what follows a failure. With ``verifying`` it was the look-up that failed, so
        nothing was sent and the doubt remains.
        """
        if problem.done:
            await self.outbox.mark_part(delivery, problem.done)
        edit = delivery.op in EDITS
        last = delivery.attempt >= TRIES or (edit and problem.after > _LONGEST_EDIT_WAIT)
        if problem.kind == DeliveryFailure.RETRY and not last:
            await self._retry(delivery, problem, verifying=verifying)
        elif problem.kind == DeliveryFailure.UNCERTAIN and not verifying and not last:
            wait = max(_SETTLING, _wait(delivery, problem))
            await self.outbox.verify_later(delivery, wait, str(problem))
            self.count(platform_of(delivery.place), "retried")
        elif verifying or (
            problem.kind == DeliveryFailure.UNCERTAIN and delivery.op == PostOp.POST
        ):
            await self._ask(delivery, str(problem))
        elif problem.kind == DeliveryFailure.DEAD or delivery.attempt < TRIES:
            await self._give_up(delivery, str(problem))
        else:
            tries = f"given up after {delivery.attempt} tries"
            await self._give_up(delivery, f"{tries}: {problem}")

    async def _retry(self, delivery: Delivery, problem: DeliveryError, *, verifying: bool) -> None:
        platform, wait = platform_of(delivery.place), _wait(delivery, problem)
        pace = self.paces.get(platform, UNPACED)
        if problem.after > pace.rate(delivery.op).seconds and delivery.op not in REACTIONS:
            await self.outbox.block(delivery, problem.after, pace)
        if verifying:
            await self.outbox.verify_later(delivery, wait, str(problem))
        else:
            await self.outbox.retry_later(delivery, wait, str(problem))
        self.count(platform, "retried")

    async def _ask(self, delivery: Delivery, reason: str) -> None:
        """Asks a person once, in the thread, because it is unknown whether the message arrived;
        nothing is sent blindly.
        """
        ask = None
        if not delivery.key.endswith(question_key("")):
            ask = outgoing(_question(delivery, reason), delivery.place)
        if await self.outbox.mark_uncertain(delivery, reason, ask):
            self.count(platform_of(delivery.place), "uncertain")
            logger.warning(
                "a post may or may not have arrived",
                extra=_facts("post_uncertain", delivery, reason),
            )

    async def _give_up(self, delivery: Delivery, reason: str) -> None:
        first = delivery.key == root_key(delivery.debate)
        unread = Pause("", stored("I can't post it: {why}", why=reason)) if first else None
        tell = None
        if delivery.op in REACTIONS:
            tell = outgoing(_without_emojis(delivery, reason), delivery.place)
        if not await self.outbox.mark_dead(delivery, reason, unread=unread, tell=tell):
            return
        self.count(platform_of(delivery.place), "dead")
        edited = (delivery.place, delivery.target)
        if delivery.op not in EDITS or edited not in self.unedited:
            logger.warning("a post is given up", extra=_facts("post_dead", delivery, reason))
        if delivery.op in EDITS:
            self.unedited.add(edited)
        verdict, challenges = verdict_key(delivery.debate), challenge_key(delivery.debate, "")
        awaited = first or delivery.key == verdict or delivery.key.startswith(challenges)
        if self.gone is not None and awaited:
            await self.gone(delivery, reason)


def _wait(delivery: Delivery, problem: DeliveryError) -> float:
    """Returns the seconds until the next try: longer each time, and never less than the platform
    wants.
    """
    if delivery.attempt <= 1:
        return max(problem.after, 0.0)
    return max(problem.after, min(_LONGEST_WAIT, 2.0 ** (delivery.attempt - 2)))


def _facts(action: str, delivery: Delivery, reason: str) -> dict[str, str]:
    return {"action": action, "debate": delivery.debate, "key": delivery.key, "reason": reason}


def _question(delivery: Delivery, reason: str) -> Post:
    """Asks whether a message that may be missing is to be posted again."""
    title, reason = say("A message of this debate may be missing here"), say_stored(reason)
    return Post(
        key=question_key(delivery.key),
        debate=delivery.debate,
        shape=Shape.NOTICE,
        title=title,
        body=reason,
        buttons=(Button("repost", say("Post it again"), f"{delivery.place} {delivery.key}"),),
        fallback=f"{title}: {reason}",
    )


def _without_emojis(delivery: Delivery, reason: str) -> Post:
    """Posts once in a thread that a vote has no emojis, and how to vote without them."""
    title, reason = say("I could not put the emojis of a vote here"), say_stored(reason)
    body = say("{reason} Vote with the buttons, or with `/debate vote`.", reason=reason)
    return Post(
        f"{delivery.debate}:unseeded",
        delivery.debate,
        Shape.NOTICE,
        title=title,
        body=body,
        fallback=f"{title}: {reason}",
    )
