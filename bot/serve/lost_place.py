"""Handles a first message that can't be posted: the person who started the debate gets the reason
and the next step, and the schedules of the place are paused.
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
        await self.firings.pause_place(place, reason)
        state = await self.service.load(debate)
        asker = state.request.owner or state.request.asker
        text = (
            f"Debate {debate} runs, but I can't post it here: {reason} See it with: /debate "
            f"show {debate}"
        )
        if not state.over and await self.outbox.is_unread(debate, root_key(debate)):
            text = (
                f"Debate {debate} is paused and costs nothing more, for I can't post it: "
                f"{reason} When that is fixed: /debate resume {debate}"
            )
        try:
            await tell(self.chats, place, asker, text)
        except DeliveryError as problem:
            logger.warning(
                "the starter got no message",
                extra={"action": "place_gone", "debate": debate, "reason": str(problem)},
            )
