"""Which debate a person means, if they may see it."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.ports.desk import Caller
from bot.debates.service import DebateService
from bot.desk.permissions import Action, NotThere, Permissions
from core.debate import Debate
from core.errors import BadInput
from storage.debates import Debates
from storage.messages import Messages

LIVE = ("queued", "running", "waiting", "paused")
"""Statuses of debates that are not over."""


@dataclass(frozen=True, slots=True)
class Lookup:
    service: DebateService
    debates: Debates
    messages: Messages
    permissions: Permissions

    async def find(self, id: str, caller: Caller) -> Debate:
        """The debate of that id (or its unique beginning); one that the caller is not to know of is
        not there.

        Raises ``BadInput`` or ``Refused``.
        """
        debate = await self.service.load((await self.debates.find(id)).id)
        try:
            await self.permissions.require(caller, Action.SEE, debate)
        except NotThere:
            raise BadInput(
                f"There is no debate {id[:40]!r} here: `list` shows those there are."
            ) from None
        return debate

    async def find_meant(self, id: str, caller: Caller) -> Debate:
        """The debate of that id, of the thread, or the newest of the place.

        Raises ``BadInput`` or ``Refused``.
        """
        if id:
            return await self.find(id, caller)
        if caller.thread:
            found = await self.messages.find_debate(caller.place, caller.thread)
            if found is not None:
                return await self.service.load(found)
        for line in await self.debates.find_recent(place=caller.place, statuses=LIVE, limit=1):
            return await self.service.load(line.id)
        raise BadInput("Which debate? None is running here. Give its id: `list` shows them.")
