"""What the chats know of a debate that is played: whether its first message stands, and what people
show on its messages.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.desk.taking_part.reactions import ReactionDesk
from bot.posting.first import first_message
from storage.outbox import Outbox


@dataclass(frozen=True, slots=True)
class ChatThreads:
    """``outbox`` is None where nothing of this process posts, and so nothing is waited for."""

    reactions: ReactionDesk
    outbox: Outbox | None = None

    async def wait_for_first(self, id: str) -> None:
        if self.outbox is not None:
            await first_message(self.outbox, id)

    async def recount(self, id: str) -> None:
        await self.reactions.recount_debate(id)
