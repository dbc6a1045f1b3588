"""The desk's part for telling a debate in a second place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.ports.chat import Chat
from adapters.ports.desk import Answer, Caller
from bot.desk.channels import channel_named
from bot.desk.lookup import Lookup
from bot.permissions import Action, Permissions
from core.commands import AddPlace
from core.commands.decisions import decide
from storage.commands import CommandQueue


@dataclass(frozen=True, slots=True)
class MirrorDesk:
    lookup: Lookup
    queue: CommandQueue
    permissions: Permissions
    chats: Mapping[str, Chat]

    async def mirror(self, id: str, place: str, caller: Caller) -> Answer:
        """``place`` as the person types it. Raises ``BadInput`` or ``Refused``."""
        where = channel_named(place, caller, self.chats)
        debate = (await self.lookup.find_copy(id, caller, Action.MIRROR, str(where))).debate
        await self.permissions.require(caller, Action.POST, where)
        command = AddPlace(str(where), self.permissions.person_in(debate, caller))
        decide(debate, command)
        await self.queue.enqueue(debate.id, command, caller.source)
        return Answer(f"Debate `{debate.id}` will be told in {place} as well.", debate=debate.id)
