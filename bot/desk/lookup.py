"""Which debate a person means, if they may see it."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.ports.desk import Caller
from bot.debates.service import DebateService
from bot.permissions import Action, NotThere, Permissions
from core.debate import Debate
from core.errors import BadInput
from storage.debates import Debates
from storage.messages import Messages

LIVE = ("queued", "running", "waiting", "paused")
"""Statuses of debates that are not over."""
_ALIKE = 40
"""Debates whose ids begin alike that are looked at for the one that is meant."""


@dataclass(frozen=True, slots=True)
class Lookup:
    service: DebateService
    debates: Debates
    messages: Messages
    permissions: Permissions

    async def find(self, id: str, caller: Caller, action: Action = Action.SEE) -> Debate:
        """The debate of that id, or of its beginning if only one that the caller may see begins so;
        one that they are not to know of is not there.

        Raises ``BadInput``, and ``Refused`` where they may not do ``action`` to it.
        """
        found = await self.debates.find_like(id, limit=_ALIKE)
        exact = [line for line in found if line.id == id]
        seen = exact or await self.permissions.visible(caller, found)
        if len(seen) > 1:
            some = ", ".join(line.id for line in seen[:5])
            raise BadInput(f"{id[:40]!r} could be {some}: write more of the id.")
        try:
            for line in seen:
                debate = await self.service.load(line.id)
                await self.permissions.require(caller, action, debate)
                return debate
        except NotThere:
            pass
        raise BadInput(
            f"There is no debate {id[:40]!r} here: `{caller.prefix} list` shows those there are."
        )

    async def find_meant(self, id: str, caller: Caller, action: Action) -> Debate:
        """The debate of that id, of the thread, or the newest of the place.

        Raises ``BadInput``, and ``Refused`` where they may not do ``action`` to it.
        """
        return await self.find(id or await self._meant(caller), caller, action)

    async def _meant(self, caller: Caller) -> str:
        if caller.thread:
            found = await self.messages.find_debate(caller.place, caller.thread)
            if found is not None:
                return found
        for line in await self.debates.find_recent(place=caller.place, statuses=LIVE, limit=1):
            return line.id
        raise BadInput(
            f"Which debate? None is running here. Give its id: `{caller.prefix} list` shows them."
        )
