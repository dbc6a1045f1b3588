"""Deletes the texts of forgotten debates on platforms: messages in chats, reviews, answers and
issues on forges. Deleting one twice does no harm, so nothing is looked up first.

If a platform refuses to delete one, the reason is stored for the person who requested it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import msgspec

from adapters.forges.refusals import NotAllowed
from adapters.forges.writing import RECORD_KEPT, Written
from adapters.ports.chat import Chat
from bot.forges.access.connect import ForgeConnections
from bot.work import GivenUp
from core.application.place import platform_of
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.log import ForgePostKind
from storage.debates import Debates
from storage.forgetting.removals import Removals, removal_of
from storage.messages import MessageStore
from storage.work import POSTS, WorkQueue, WorkRow

_POSTS = {removal_of(kind): kind for kind in POSTS}
ON_FORGES = tuple(_POSTS)
"""The kinds of removals that need no chat."""


@dataclass(frozen=True, slots=True)
class Remover:
    """Deletes messages; ``chats`` are by platform, and deletions on one that is not connected
    wait.
    """

    work: WorkQueue
    removals: Removals
    messages: MessageStore
    chats: Mapping[str, Chat]
    connections: ForgeConnections
    debates: Debates

    @property
    def kinds(self) -> Collection[str]:
        return [*_POSTS, *map(removal_of, self.chats)]

    async def do(self, row: WorkRow) -> None:
        """Deletes a text and records what the platform keeps all the same."""
        kept = ""
        if row.work.kind in _POSTS:
            kept = await self._take_from_forge(row)
        elif not await self._take_from_chat(row):
            return
        await self.work.done(row, reason=kept)

    async def give_up(self, row: WorkRow, error: Exception, reason: str) -> None:
        """Does nothing: the reason is shown to the person who looks for copies."""

    async def _take_from_chat(self, row: WorkRow) -> bool:
        """Deletes a thread's messages, recording each, the first message last because the thread's
        files are found by it. A refused deletion does not keep the others from being deleted.
        Returns False if another process continues.
        """
        place, debate = row.work.target, row.work.debate
        chat = self.chats[platform_of(place)]
        refusals: dict[str, None] = {}
        standing = await self.messages.load(debate, place)
        for thread in dict.fromkeys(one.thread for one in standing):
            await chat.remove_files(place, thread, debate)
        for one in reversed(standing):
            try:
                await chat.remove(place, one.message)
            except DeliveryError as problem:
                if problem.kind != DeliveryFailure.DEAD:
                    raise
                refusals[str(problem)] = None
            else:
                if not await self.removals.forget_message(row, one.message):
                    return False
        if refusals:
            raise GivenUp(" ".join(refusals))
        return True

    async def _take_from_forge(self, row: WorkRow) -> str:
        """Deletes a post and says, in a sentence, what the forge keeps all the same."""
        if _POSTS[row.work.kind] == ForgePostKind.RECORD:
            return RECORD_KEPT
        written = msgspec.convert({"id": "", **row.result}, Written)
        line = await self.debates.get(row.work.debate)
        place = ""
        if line is not None:
            place = line.place
        try:
            async with self.connections.change(row.work.target, place) as (poster, link):
                return await poster.remove(link, _POSTS[row.work.kind], written)
        except NotAllowed as error:
            raise GivenUp(str(error)) from error
