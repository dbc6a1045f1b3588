"""Places and persons, which every other part keeps as opaque strings, read and written in one way.

What a place means is its platform's affair: ``PlaceRules`` is what each platform says about its own
places, connected or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

SHELL = "shell"
"""The platform of the person at this machine."""
ROOM = "room"
"""The platform of people in a browser."""
PROGRAM = "program"
"""The platform of services: ``program:slack:T1/ci`` belongs to a workspace, ``program:ci`` to this
machine; its place has the same name.
"""
FORGES = ("github", "gitlab")
"""The forges that have a client here, which are platforms of their people."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place where people talk: ``slack:T1/C1``, ``discord:GUILD/CHANNEL``, ``shell:USER``,
    ``discord:@me/CHANNEL`` (a direct message).

    ``workspace`` is empty if the platform has none or the text names none.
    """

    platform: str
    workspace: str
    channel: str

    @classmethod
    def parse(cls, text: str) -> Place:
        """Parses a place; any text is some place, and ``str`` gives it back."""
        return cls(*_parts(text))

    def __str__(self) -> str:
        return _text(self.platform, self.workspace, self.channel)

    @property
    def workspace_key(self) -> str:
        """The place's workspace as the store names it: ``slack:T1``; "" if there is none."""
        return workspace_key(self.platform, self.workspace)


@dataclass(frozen=True, slots=True)
class Person:
    """A person on a platform: ``slack:T1/U1``, ``discord:GUILD/USER``, ``shell:USER``.

    The same account in another workspace is another person, until its platform says otherwise
    (``PlaceRules.known_as``).
    """

    platform: str
    workspace: str
    account: str

    @classmethod
    def parse(cls, text: str) -> Person:
        """Parses a person; any text is some person, and ``str`` gives it back."""
        return cls(*_parts(text))

    def __str__(self) -> str:
        return _text(self.platform, self.workspace, self.account)

    @property
    def workspace_key(self) -> str:
        """The workspace that knows them, as ``slack:T1``; "" if there is none."""
        return workspace_key(self.platform, self.workspace)


class PlaceRules(Protocol):
    """The meaning of a platform's places and persons, which needs no connection."""

    def is_direct(self, place: Place) -> bool:
        """True if it is a conversation between one person and the bot."""
        ...

    def workspace_of(self, place: Place) -> str:
        """Returns the workspace of a place: its members may see what the others there see."""
        ...

    def channel_named(self, text: str) -> str:
        """Returns the channel's id as a person may type it. Raises ``BadInput`` for what can be
        none.
        """
        ...

    def known_as(self, person: Person, places: Sequence[Place]) -> Person:
        """Returns the person as a debate that is held at ``places`` knows them."""
        ...


@dataclass(frozen=True, slots=True)
class Places:
    """How to read the places of all platforms, whether or not one is connected.

    ``chats`` are the platforms with threads to post into; a shell and a room read the events
    themselves. ``everywhere`` are those on which an account is one person in every workspace.
    """

    chats: Mapping[str, PlaceRules]
    room: PlaceRules
    everywhere: frozenset[str] = frozenset()

    def _rules(self, platform: str) -> PlaceRules | None:
        return self.room if platform == ROOM else self.chats.get(platform)

    def is_direct(self, place: str) -> bool:
        """True if a place is a conversation between one person and the bot."""
        where = Place.parse(place)
        rules = self._rules(where.platform)
        return rules is not None and rules.is_direct(where)

    def workspace_of(self, place: str) -> str:
        """Returns the workspace of a place: text shown to one person there may be shown to all its
        members.
        """
        where = Place.parse(place)
        rules = self._rules(where.platform)
        if rules is not None:
            return rules.workspace_of(where)
        return where.workspace_key or place

    def shared_with(self, place: str) -> tuple[str, ...]:
        """Returns the prefixes of places in the same workspace, in its chat and in the browser's
        room.
        """
        workspace = self.workspace_of(place)
        return f"{workspace}/", f"{ROOM}:{workspace}/"

    def account_of(self, person: str) -> tuple[str, str]:
        """Returns the beginning and the end of every name of an account; on some platforms it is
        the same person in every workspace.
        """
        who = Person.parse(person)
        if who.platform in self.everywhere:
            return f"{who.platform}:", f"/{who.account}"
        return person, ""

    def same_account(self, one: str, other: str) -> bool:
        """True if two names of persons are of one account."""
        return self.account_of(one) == self.account_of(other)


def platform_of(text: str) -> str:
    """Returns the platform of a place or a person."""
    return _parts(text)[0]


def bare_channel(text: str) -> str:
    """Returns a channel's id out of ``#ID`` or a platform's own ``<#ID|name>``."""
    return text.strip().removeprefix("<#").partition("|")[0].rstrip(">").lstrip("#")


def workspace_key(platform: str, workspace: str) -> str:
    """Returns a workspace as the store names it: ``slack:T1``; "" for none."""
    return f"{platform}:{workspace}" if workspace else ""


def _parts(text: str) -> tuple[str, str, str]:
    platform, colon, rest = text.partition(":")
    if not colon:
        return "", "", text
    workspace, _, name = rest.rpartition("/")
    return platform, workspace, name


def _text(platform: str, workspace: str, name: str) -> str:
    return (f"{platform}:" if platform else "") + (f"{workspace}/" if workspace else "") + name
