"""Webhooks: the addresses that receive messages about debates, and their deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.application.desk import Caller
from core.languages import msgid, say

PLATFORM = "hook"
"""The beginning of webhooks' places in the outbox."""
_STATES = {
    "pending": msgid("waits"),
    "sending": msgid("is on its way"),
    "sent": msgid("arrived"),
    "dead": msgid("was given up"),
}


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook: ``place`` is "" if it receives every debate; ``ended`` is why nothing is sent any
    more.
    """

    id: str
    place: str
    address: str
    kinds: tuple[str, ...]
    full: bool
    made_by: str
    created_at: datetime
    generation: int
    rotated_at: datetime | None
    ended: str

    @property
    def outbox(self) -> str:
        """The place of its deliveries in the outbox."""
        return f"{PLATFORM}:{self.id}"


@dataclass(frozen=True, slots=True)
class Sent:
    """A delivery as people look at it, with its ``state`` in the outbox."""

    id: str
    kind: str
    debate: str
    state: str
    attempts: int
    reason: str
    at: datetime

    @property
    def words(self) -> str:
        """Its state in words."""
        return say(_STATES.get(self.state, self.state))


class Webhooks(Protocol):
    """The webhooks of a workspace. Raises ``BadInput``, and ``Refused`` for people who administer
    none.
    """

    async def listed(self, caller: Caller) -> Sequence[tuple[Hook, str]]:
        """Returns the webhooks that the caller administers, the oldest first, each with the name of
        the place whose debates it receives."""
        ...

    async def deliveries(self, id: str, caller: Caller) -> Sequence[Sent]:
        """Returns the last deliveries of one webhook, the newest first."""
        ...
