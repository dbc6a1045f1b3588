"""The desk's part for mirroring a debate into a second place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.ports.chat import Chat
from bot.debates.opening.terms import FindLanguage
from bot.desk.channels import channel_named
from bot.desk.commanding import Commanding
from bot.desk.handlers import handles
from core.application.commands import Mirror
from core.application.commands.actions import Action
from core.application.desk import Caller, DeskAnswer
from core.debate.commands import AddPlace
from core.languages import say


@dataclass(frozen=True, slots=True)
class MirrorDesk:
    commanding: Commanding
    chats: Mapping[str, Chat]
    find_language: FindLanguage

    @handles(Mirror)
    async def mirror(self, request: Mirror, caller: Caller) -> DeskAnswer:
        """Mirrors a debate into a place, which is written as the person types it. Raises
        ``BadInput`` or ``Refused``.
        """
        where = channel_named(request.place, caller, self.chats)
        lookup, permissions = self.commanding.lookup, self.commanding.permissions
        debate = (await lookup.find_copy(request.debate, caller, Action.MIRROR, str(where))).debate
        await permissions.require(caller, Action.POST, where)
        language = await self.find_language(str(where))
        command = AddPlace(str(where), permissions.person_in(debate, caller), language)
        await self.commanding.give(debate, command, caller)
        text = say(
            "Debate {id} will appear in {place} as well.", id=f"`{debate.id}`", place=request.place
        )
        return DeskAnswer(text, debate=debate.id)
