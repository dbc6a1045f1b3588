"""Handles a first message or a verdict that can't be posted: the person who started the debate gets
the reason and the next step. Without a first message the schedules of the place are paused.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from adapters.ports.chat import Chat
from adapters.posts.keys import root_key
from bot.debates.service import DebateService
from bot.posting.private import language_of, tell
from bot.schedules.fire import Firings
from core.application.presence import DeliveryError
from core.debate.state import Debate
from core.languages import say, speaking
from core.languages.stored import say_stored
from core.words.views.verdict.decision import decision
from storage.outbox import Outbox

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LostPlaces:
    chats: Mapping[str, Chat]
    service: DebateService
    outbox: Outbox
    firings: Firings

    async def report(self, place: str, debate: str, reason: str) -> None:
        """Implements ``bot.posting.deliver.Gone``."""
        state = await self.service.load(debate)
        asker = state.request.owner or state.request.asker
        find = self.service.preparer.find_language
        with speaking(await language_of(self.chats, find, asker, place)):
            text = await self._words(place, state, f"{reason.rstrip('.')}.")
        await self._tell(place, debate, asker, text)

    async def _words(self, place: str, debate: Debate, reason: str) -> str:
        why, root = say_stored(reason), root_key(debate.id)
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

    async def _tell(self, place: str, debate: str, asker: str, text: str) -> None:
        try:
            await tell(self.chats, place, asker, text)
        except DeliveryError as problem:
            logger.warning(
                "the starter got no message",
                extra={"action": "place_gone", "debate": debate, "reason": str(problem)},
            )
