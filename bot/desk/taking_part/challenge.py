"""The desk's part for challenges, which come by command, by button or by a reply in the thread."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from adapters.ports.chat import Chat, DeliveryError
from adapters.ports.desk import Caller, DeskAnswer
from adapters.ports.place import platform_of
from adapters.redaction import clean
from bot.desk.commanding import Commanding
from bot.permissions import Action
from bot.permissions.quotas import Quotas
from core.commands import RaiseChallenge
from core.views.course.happenings import challenge_taken


@dataclass(frozen=True, slots=True)
class ChallengeDesk:
    commanding: Commanding
    quotas: Quotas
    chats: Mapping[str, Chat]

    async def challenge(self, text: str, id: str, caller: Caller) -> DeskAnswer:
        """Challenges a debate. Raises ``Refused`` where it takes no challenge now."""
        debate, person = await self.commanding.find_with_person(id, caller, Action.CHALLENGE)
        thread = await asyncio.to_thread(clean, text.strip())
        command = RaiseChallenge(person, thread, source=caller.source)
        async with self.quotas.challenge(caller, person, debate):
            events = await self.commanding.give(debate, command, caller)
        await self.commanding.hear(caller)
        return DeskAnswer(challenge_taken(debate, events), debate=debate.id)

    async def challenge_by_reply(
        self, text: str, debate: str, caller: Caller, message: str
    ) -> DeskAnswer | None:
        """Challenges as ``challenge`` does; returns None where the reply itself shows that it was
        taken.
        """
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
