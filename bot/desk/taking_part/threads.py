"""The chats' messages of a debate that is played: whether the first one is posted, and people's
reactions.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.desk.taking_part.reactions import ReactionDesk
from bot.posting.first import first_message
from storage.outbox import Outbox


@dataclass(frozen=True, slots=True)
class ChatThreads:
    """``outbox`` is None if no part of this process posts, so that nothing is awaited."""

    reactions: ReactionDesk
    outbox: Outbox | None = None

    async def wait_for_first(self, id: str) -> None:
        if self.outbox is not None:
            await first_message(self.outbox, id)

    async def recount(self, id: str) -> None:
        await self.reactions.recount_debate(id)
