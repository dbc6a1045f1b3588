"""The members of a workspace, as its platform knows them."""

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
    """A connected platform that knows its members."""

    async def member(self, workspace: str, account: str) -> Member | None:
        """Returns the member with that account. ``workspace`` is named as the store does
        (``slack:T1``).

        None for an account outside it, or if the bot is not in it; raises ``DeliveryError`` while
        it is unknown.
        """
        ...
