"""The desk's part for telling a debate in a second place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.ports.chat import Chat
from adapters.ports.desk import Answer, Caller
from adapters.ports.place import Place
from bot.desk.lookup import Lookup
from bot.permissions import Action, Permissions
from bot.permissions.applied import STAYS
from bot.platforms import CHATS
from core.commands import AddPlace
from core.decisions import decide
from core.errors import BadInput, Refused
from storage.commands import CommandQueue


@dataclass(frozen=True, slots=True)
class MirrorDesk:
    lookup: Lookup
    queue: CommandQueue
    permissions: Permissions
    chats: Mapping[str, Chat]

    async def mirror(self, id: str, place: str, caller: Caller) -> Answer:
        """``place`` as the person types it. Raises ``BadInput`` or ``Refused``."""
        debate = await self.lookup.find(id, caller, Action.MIRROR)
        where = self._place_named(place, caller)
        if debate.opened is not None and debate.open.material.private:
            raise Refused(STAYS)
        await self.permissions.require(caller, Action.POST, where)
        command = AddPlace(str(where), self.permissions.person_in(debate, caller))
        decide(debate, command)
        await self.queue.enqueue(debate.id, command, caller.source)
        return Answer(f"Debate `{debate.id}` will be told in {place} as well.", debate=debate.id)

    def _place_named(self, text: str, caller: Caller) -> Place:
        """``slack:CHANNEL`` as a full place. Raises ``BadInput`` or ``Refused``: a chat reaches its
        own workspace, and on the other platform the only one there is.
        """
        named = Place.parse(text)
        platform, workspace = named.platform, named.workspace
        rules = CHATS.get(platform)
        channel = rules.channel_named(named.channel) if rules is not None else ""
        if not channel:
            raise BadInput("A place is slack:CHANNEL or discord:CHANNEL.")
        if caller.shell and workspace:
            return Place(platform, workspace, channel)
        chat = self.chats.get(platform)
        if chat is None:
            raise BadInput(f"{platform} is not connected here.")
        here = Place.parse(caller.place)
        own = here.workspace if here.platform == platform else ""
        home = own or getattr(chat, "workspace", "")
        if not home:
            raise BadInput(
                f"I am in several places on {platform} or in none and can't tell which you mean."
            )
        if workspace not in ("", home):
            raise Refused(
                "A debate is mirrored within its own workspace or to the other platform, never to "
                "a stranger's."
            )
        return Place(platform, home, channel)
