"""The port by which permissions ask who can read a place at this moment, and how the place is
called.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from adapters.ports.chat import Ref


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
