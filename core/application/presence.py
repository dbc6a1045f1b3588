"""The ports by which permissions ask a connected platform who can read a place at this moment, how
it is called, and who its people are.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Ref:
    """A delivered message's place on its platform.

    ``thread`` is the root's id (Slack ts, Discord thread id), ``ids`` all parts.
    """

    place: str
    thread: str
    ids: tuple[str, ...]


class DeliveryFailure(StrEnum):
    """The kinds of failed deliveries."""

    RETRY = "retry"  # it did not arrive, and may at the next try
    UNCERTAIN = "uncertain"  # it may have arrived
    DEAD = "dead"  # it never will arrive


class DeliveryError(Exception):
    """A delivery failed. ``kind`` is a ``DeliveryFailure``, or its word; ``after`` are the seconds
    until a next try can help. Raises ``ValueError`` for another word.

    ``done`` are the ids of the parts that were delivered before the failure: give them to
    ``Chat.send`` when it is tried again.
    """

    def __init__(
        self, kind: str, message: str, after: float = 1.0, done: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.kind = DeliveryFailure(kind)
        self.after = after
        self.done = done


@runtime_checkable
class Presence(Protocol):
    """A connected chat that knows who is present. Every method raises ``DeliveryError`` while the
    answer can't be known.
    """

    async def is_open(self, place: str) -> bool:
        """True if every full member of the workspace may enter the place by themself."""
        ...

    async def is_inside(self, place: str, person: str) -> bool:
        """True if a person can read the place. False for people of other platforms and of
        workspaces that the place does not belong to.
        """
        ...

    async def may_write(self, place: str, person: str) -> bool:
        """True if a person inside may write there."""
        ...


@runtime_checkable
class SharedChannels(Protocol):
    """A connected chat whose channels can be shared with other organisations."""

    async def is_shared(self, place: str) -> bool:
        """True if people of other organisations read along. Raises ``DeliveryError`` while that
        can't be known.
        """
        ...


@runtime_checkable
class Guests(Protocol):
    """A connected chat with guests, who see only places that they were invited to."""

    async def is_guest(self, place: str, person: str) -> bool:
        """True if a person is a guest, or unknown to the platform."""
        ...


@runtime_checkable
class ChannelNames(Protocol):
    """A connected chat that knows its channels by name."""

    async def channel_name(self, place: str) -> str:
        """Returns a channel's name as people know it, "#shop"; "" if it has no name. Raises
        ``DeliveryError`` while that can't be known.
        """
        ...


@runtime_checkable
class Directory(Protocol):
    """A connected chat that knows the names of its people and the addresses of its messages. Every
    method raises ``DeliveryError`` while the answer can't be known.
    """

    async def name_of(self, person: str) -> str:
        """Returns the name that a person goes by; "" for nobody whom it knows."""
        ...

    async def address_of(self, ref: Ref) -> str:
        """Returns the address of a delivered message."""
        ...


@runtime_checkable
class Threads(Protocol):
    """A connected chat that knows whether it may post to a thread."""

    async def require_open(self, ref: Ref) -> None:
        """Raises ``DeliveryError``, a dead one with the reason, if nothing more can be posted to
        the thread of a delivered message.
        """
        ...


@runtime_checkable
class Locales(Protocol):
    """A connected chat that knows the languages of its people."""

    async def language_of(self, person: str) -> str:
        """Returns the shipped language that a person reads; "" if it is unknown. Raises
        ``DeliveryError`` while that can't be known.
        """
        ...


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
