"""Deletes the texts of forgotten debates on platforms: messages in chats, reviews, answers and
issues on forges.

If a platform refuses to delete one, it is stored with the reason, for the person who requested it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from adapters.forges.links import parse_change
from adapters.forges.refusals import NotAllowed, RateLimited
from adapters.forges.writing import Written
from adapters.ports.chat import Chat, DeliveryError, DeliveryFailure
from adapters.ports.place import platform_of
from bot.forges.access.connect import ForgeConnections
from bot.keep import IDLE, keep
from core.errors import BadInput, CouldNotFinish
from core.ports import Clock
from storage.forgetting.removals import ForgeText, Removal, Removals
from storage.leases import wait_before
from storage.messages import MessageStore

logger = logging.getLogger(__name__)
TRIES = 12


@dataclass(frozen=True, slots=True)
class Remover:
    """Deletes messages; ``chats`` are by platform, and deletions on one that is not connected
    wait.
    """

    removals: Removals
    messages: MessageStore
    chats: Mapping[str, Chat]
    connections: ForgeConnections
    clock: Clock
    owner: str

    async def run(self, idle: float = IDLE) -> None:
        """Deletes until it is cancelled."""
        await keep("remove", self.remove_all, idle, self.removals.wake_event)

    async def remove_all(self) -> None:
        """Deletes until nothing is due."""
        while await self.remove_due():
            pass

    async def remove_due(self) -> int:
        """Deletes what may be deleted now and returns how many deletions were tried."""
        claimed = await self.removals.claim(self.owner, tuple(self.chats))
        for removal in claimed:
            if await self.removals.renew(removal):
                await self._remove(removal)
        return len(claimed)

    async def _remove(self, removal: Removal) -> None:
        try:
            if removal.text is not None:
                await self.removals.done(removal, await self._take_from_forge(removal.text))
            else:
                await self._take_from_chat(removal)
        except DeliveryError as problem:
            await self._later(removal, problem.after, str(problem))
        except RateLimited as error:
            wait = error.free_at and (error.free_at - self.clock.now()).total_seconds()
            await self._later(removal, wait or 60.0, str(error))
        except (BadInput, NotAllowed) as error:
            await self.removals.refused(removal, str(error))
        except CouldNotFinish as error:
            await self._later(removal, 0.0, str(error))
        except Exception as error:  # a defect costs this removal a try, not the remover its life
            facts = {"action": "remove", "debate": removal.debate, "key": removal.key}
            logger.exception("deleting on a platform broke", extra=facts)
            await self._later(removal, 30.0, f"a defect: {type(error).__name__}")

    async def _later(self, removal: Removal, after: float, reason: str) -> None:
        wait = wait_before(removal.attempt, TRIES, after)
        if wait is None:
            tries = f"given up after {removal.attempt} tries"
            await self.removals.refused(removal, f"{tries}: {reason}")
            return
        await self.removals.retry(removal, wait, reason)

    async def _take_from_chat(self, removal: Removal) -> None:
        """Deletes a thread's messages, recording each, the first message last because the thread's
        files are found by it. A refused deletion does not keep the others from being deleted.
        """
        chat, place = self.chats[platform_of(removal.target)], removal.target
        refusals: dict[str, None] = {}
        standing = await self.messages.load(removal.debate, place)
        for thread in dict.fromkeys(one.thread for one in standing):
            await chat.remove_files(place, thread, removal.debate)
        for one in reversed(standing):
            try:
                await chat.remove(place, one.message)
            except DeliveryError as problem:
                if problem.kind != DeliveryFailure.DEAD:
                    raise
                refusals[str(problem)] = None
            else:
                await self.removals.forget_message(removal, one.message)
        if refusals:
            await self.removals.refused(removal, " ".join(refusals))
        else:
            await self.removals.done(removal)

    async def _take_from_forge(self, text: ForgeText) -> str:
        """Deletes a post and says, in a sentence, what the forge keeps all the same."""
        hosts = {name: host.forge for name, host in self.connections.library.hosts.items()}
        link = parse_change(text.link, hosts)
        written = msgspec.convert({"id": "", **text.ref}, Written)
        async with self.connections.poster(link.host, link.repo, text.place) as poster:
            return await poster.remove(link, text.kind, written)
