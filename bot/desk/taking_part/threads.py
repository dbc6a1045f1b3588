"""The chats' messages of a debate that is played: whether the first one is posted, and people's
reactions.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from adapters.posts.keys import root_key
from bot.desk.parts import DeskParts
from bot.desk.taking_part.reactions import recount_debate
from bot.posting.private import language_of
from core.debate.events import DebateRequest
from storage.outbox import Outbox

_PATIENCE = 3.0
"""Seconds until a debate begins although its first message is still on its way."""
_PAUSE, _LONGEST_PAUSE = 0.05, 0.5
"""Seconds between two looks at the message: longer each time, for a channel may be busy with many.
"""


@dataclass(frozen=True, slots=True)
class ChatThreads:
    """``outbox`` is None if no part of this process posts, so that nothing is awaited."""

    desk: DeskParts
    outbox: Outbox | None = None

    async def wait_for_first(self, id: str) -> None:
        """Returns once the first message of a debate is posted in at least one place, or was given
        up in all of them; at the latest after ``_PATIENCE``, since a platform that is away gets its
        posts later.
        """
        if self.outbox is None:
            return
        pause = _PAUSE
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while await self.outbox.is_on_its_way(id, root_key(id)):
                    await asyncio.sleep(pause)
                    pause = min(_LONGEST_PAUSE, 2 * pause)

    async def recount(self, id: str) -> None:
        await recount_debate(self.desk, id)

    async def asker_language(self, request: DebateRequest) -> str:
        person, find = request.owner or request.asker, self.desk.stores.places.language
        return await language_of(self.desk.chats, find, person, request.place)
