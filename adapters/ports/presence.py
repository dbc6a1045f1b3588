"""Who is where, as a platform says at this moment: the port that permissions ask; and what a place
is called there.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Presence(Protocol):
    """A connected chat that can be asked. Every method raises ``DeliveryError`` while the answer
    can't be known.
    """

    async def is_open(self, place: str) -> bool:
        """Whether every full member of the workspace may enter the place by themself."""
        ...

    async def is_inside(self, place: str, person: str) -> bool:
        """Whether somebody reads along in the place. False for people of other platforms and of
        workspaces that the place does not belong to.
        """
        ...

    async def may_write(self, place: str, person: str) -> bool:
        """Whether somebody inside may write there themself."""
        ...


@runtime_checkable
class SharedChannels(Protocol):
    """A connected chat whose channels can be shared with other organisations."""

    async def is_shared(self, place: str) -> bool:
        """Whether people of other organisations read along. Raises ``DeliveryError`` while that
        can't be known.
        """
        ...


@runtime_checkable
class Guests(Protocol):
    """A connected chat in which some see no more than they were invited to."""

    async def is_guest(self, place: str, person: str) -> bool:
        """Whether somebody is one, or nobody says who they are."""
        ...


@runtime_checkable
class ChannelNames(Protocol):
    """A connected chat that knows its channels by name."""

    async def channel_name(self, place: str) -> str:
        """How people there know a channel, "#shop"; "" where it has no name. Raises
        ``DeliveryError`` while that can't be known.
        """
        ...
