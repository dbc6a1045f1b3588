"""Handles a first message, a verdict or a challenge that can't be posted: the person who started
the debate, and the challenger, get the reason and the next step. Without a first message the
schedules of the place are paused.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from adapters.ports.chat import Chat
from adapters.posts.keys import challenge_key, root_key
from bot.debates.service import DebateService
from bot.posting.private import language_of, tell
from bot.schedules.fire import Firings
from core.application.presence import DeliveryError
from core.debate.state import Debate
from core.languages import say, speaking
from core.languages.stored import say_stored
from core.words.views.verdict.decision import decision
from storage.claims import Delivery
from storage.outbox import Outbox

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LostPlaces:
    chats: Mapping[str, Chat]
    service: DebateService
    outbox: Outbox
    firings: Firings

    async def report(self, delivery: Delivery, reason: str) -> None:
        """Implements ``bot.posting.failures.Gone``."""
        debate = await self.service.load(delivery.debate)
        people = [debate.request.owner or debate.request.asker]
        objection = delivery.key.removeprefix(challenge_key(debate.id, ""))
        people += [one.author for one in debate.challenges if one.id == objection]
        find = self.service.preparer.find_language
        for person in dict.fromkeys(people):
            with speaking(await language_of(self.chats, find, person, delivery.place)):
                text = await self._words(delivery, debate, f"{reason.rstrip('.')}.")
            await self._tell(delivery, person, text)

    async def _words(self, delivery: Delivery, debate: Debate, reason: str) -> str:
        why, root, place = say_stored(reason), root_key(debate.id), delivery.place
        if delivery.key.startswith(challenge_key(debate.id, "")):
            return say(
                "The seats answer a challenge to debate {id}, but I can't post it there: {why} See "
                "the answers with: {command}",
                id=debate.id,
                why=why,
                command=f"/debate show {debate.id}",
            )
        if await self.outbox.find_sent(place, root) is not None:
            return say(
                "Debate {id} has its decision, but I can't post it there: {why} {headline} See it "
                "with: {command}",
                id=debate.id,
                why=why,
                headline=decision(debate).headline,
                command=f"/debate show {debate.id}",
            )
        await self.firings.pause_place(place, reason)
        if not debate.over and await self.outbox.is_unread(debate.id, root):
            return say(
                "Debate {id} is paused and costs nothing more, for I can't post it: {why} When "
                "that is fixed: {command}",
                id=debate.id,
                why=why,
                command=f"/debate resume {debate.id}",
            )
        return say(
            "Debate {id} runs, but I can't post it here: {why} See it with: {command}",
            id=debate.id,
            why=why,
            command=f"/debate show {debate.id}",
        )

    async def _tell(self, delivery: Delivery, person: str, text: str) -> None:
        try:
            await tell(self.chats, delivery.place, person, text)
        except DeliveryError as problem:
            logger.warning(
                "a person got no message",
                extra={
                    "action": "place_gone",
                    "debate": delivery.debate,
                    "reason": str(problem),
                },
            )
