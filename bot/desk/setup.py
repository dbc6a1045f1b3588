"""The desk's part for what a channel may see, and for a workspace that lets us go."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.commands import Setup
from adapters.ports.desk import Answer, Caller
from bot.desk.permissions import Action, Permissions
from storage.places import Places


@dataclass(frozen=True, slots=True)
class SetupDesk:
    places: Places
    permissions: Permissions

    async def set_up(self, request: Setup, caller: Caller) -> Answer:
        """Binds a channel to a private repository, or takes it back. Raises ``Refused``."""
        await self.permissions.require(caller, Action.BIND)
        if request.off:
            was_bound = await self.places.unbind(caller.place, request.repository)
            sees = "no longer sees" if was_bound else "did not see"
            return Answer(f"This channel {sees} {request.repository}.")
        await self.places.bind(caller.place, request.repository, caller.person)
        return Answer(
            f"This channel can now debate pull requests of {request.repository}. Take it back "
            f"with: setup github {request.repository} off"
        )

    async def forget_workspace(self, workspace: str) -> None:
        """It removed us: its tokens, schedules and bindings go."""
        await self.places.forget_workspace(workspace)
