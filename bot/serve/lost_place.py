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
from bot.posting.private import tell
from bot.schedules.fire import Firings
from core.application.presence import DeliveryError
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
        reason = f"{reason.rstrip('.')}."
        state = await self.service.load(debate)
        asker = state.request.owner or state.request.asker
        see = f"See it with: /debate show {debate}"
        if await self.outbox.find_sent(place, root_key(debate)) is not None:
            text = (
                f"Debate {debate} has its decision, but I can't post it there: {reason} "
                f"{decision(state).headline} {see}"
            )
            await self._tell(place, debate, asker, text)
            return
        await self.firings.pause_place(place, reason)
        text = f"Debate {debate} runs, but I can't post it here: {reason} {see}"
        if not state.over and await self.outbox.is_unread(debate, root_key(debate)):
            text = (
                f"Debate {debate} is paused and costs nothing more, for I can't post it: "
                f"{reason} When that is fixed: /debate resume {debate}"
            )
        await self._tell(place, debate, asker, text)

    async def _tell(self, place: str, debate: str, asker: str, text: str) -> None:
        try:
            await tell(self.chats, place, asker, text)
        except DeliveryError as problem:
            logger.warning(
                "the starter got no message",
                extra={"action": "place_gone", "debate": debate, "reason": str(problem)},
            )
