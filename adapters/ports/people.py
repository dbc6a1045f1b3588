"""Who belongs to a workspace, as its platform says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in one workspace; ``admin`` is what the platform says of them there."""

    name: str
    admin: bool


@runtime_checkable
class Membership(Protocol):
    """A connected platform that can be asked."""

    async def member(self, workspace: str, account: str) -> Member | None:
        """``workspace`` as the store names it (``slack:T1``). None for somebody who does not belong
        there, or where we are not; raises ``DeliveryError`` while it can't be known.
        """
        ...
