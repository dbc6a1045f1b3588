"""The desk's part for challenges: by command, by button, by a reply in the thread."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from adapters.ports.chat import Chat, DeliveryError
from adapters.ports.desk import Answer, Caller
from adapters.ports.place import platform_of
from adapters.redaction import clean
from bot.desk.lookup import Lookup
from bot.permissions import Action, Permissions
from bot.permissions.quotas import Quotas
from core.commands import RaiseChallenge
from core.commands.decisions import decide
from core.views.course.happenings import challenge_taken
from storage.commands import CommandQueue


@dataclass(frozen=True, slots=True)
class ChallengeDesk:
    lookup: Lookup
    queue: CommandQueue
    permissions: Permissions
    quotas: Quotas
    chats: Mapping[str, Chat]

    async def challenge(self, text: str, id: str, caller: Caller) -> Answer:
        """Raises ``Refused`` where the debate takes no challenge now."""
        debate = await self.lookup.find_meant(id, caller, Action.CHALLENGE)
        person = self.permissions.person_in(debate, caller)
        thread = await asyncio.to_thread(clean, text.strip())
        command = RaiseChallenge(person, thread, source=caller.source)
        async with self.quotas.challenge(caller, person, debate):
            events = decide(debate, command)
            await self.queue.enqueue(debate.id, command, caller.source)
        return Answer(challenge_taken(debate, events), debate=debate.id)

    async def challenge_by_reply(
        self, text: str, debate: str, caller: Caller, message: str
    ) -> Answer | None:
        """As ``challenge``; None where the reply itself shows that it was taken."""
        answer = await self.challenge(
            text, debate, replace(caller, source=f"said:{caller.place}:{message}")
        )
        chat = self.chats.get(platform_of(caller.place))
        if chat is None or not answer.ok:
            return answer
        try:
            await chat.acknowledge(caller.place, message, "eyes")
        except DeliveryError:
            return answer  # the reaction could not be set: it is told in words instead
        return None
