"""Slack's places and persons, and what they mean (``core.application.place.PlaceRules``).

A place is ``slack:TEAM/CHANNEL``, a person ``slack:TEAM/USER``.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.application.place import Person, Place, bare_channel, workspace_key
from core.application.presence import DeliveryError, DeliveryFailure

PLATFORM = "slack"


def place(team: str, channel: str) -> Place:
    return Place(PLATFORM, team, channel)


def person(team: str, user: str) -> Person:
    return Person(PLATFORM, team, user)


def workspace(team: str) -> str:
    return workspace_key(PLATFORM, team)


def parse(text: str) -> Place:
    """Returns the place in a text. Raises ``DeliveryError`` (dead) for a text that names no Slack
    channel.
    """
    place = Place.parse(text)
    if place.platform != PLATFORM or not place.workspace or not place.channel:
        raise DeliveryError(DeliveryFailure.DEAD, f"{text!r} is no Slack channel")
    return place


def is_direct(place: Place) -> bool:
    return place.channel.startswith("D")


def workspace_of(place: Place) -> str:
    return place.workspace_key or str(place)


def channel_named(text: str) -> str:
    """Returns the id in ``C1``, ``#C1`` or Slack's own ``<#C1|general>``."""
    return bare_channel(text)


def known_as(person: Person, places: Sequence[Place]) -> Person:
    """Returns the person unchanged: a Slack account belongs to one workspace and is the same person
    everywhere.
    """
    return person
