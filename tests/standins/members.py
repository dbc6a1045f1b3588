"""A platform that is connected, as far as the room asks it: who belongs to which workspace."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.application.presence import DeliveryError, Member
from tests.standins.chat import RecordingChat


@dataclass
class MembersStandIn:
    """``people`` are (workspace, account) -> who they are there."""

    chat: RecordingChat
    people: dict[tuple[str, str], Member] = field(default_factory=dict)
    away: bool = False

    async def start(self) -> None:
        """Does nothing: there is nothing to connect to."""

    async def stop(self) -> None:
        """Does nothing: there is no connection to close."""

    def ready(self) -> str:
        return ""

    async def member(self, workspace: str, account: str) -> Member | None:
        if self.away:
            raise DeliveryError("retry", "away")
        return self.people.get((workspace, account))
