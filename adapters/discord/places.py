"""Discord's ids as the strings that the rest of the program keeps, opaque to all but this package.

A place is ``discord:GUILD/CHANNEL`` (``discord:@me/CHANNEL`` for a direct message;
``discord:CHANNEL`` is understood too). A person is ``discord:GUILD/USER``, so that what one guild
knows of someone never mixes with another. A message is ``CHANNEL/MESSAGE``, so that it can be found
again without its place; ``/file`` or ``/poll`` behind it marks the companion messages of a post,
which are never edited in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.application.place import Person, Place, bare_channel, workspace_key
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.errors import BadInput

PLATFORM = "discord"
_HERE = "@me"
FILE, POLL = "file", "poll"


def place(guild: int | None, channel: int) -> Place:
    return Place(PLATFORM, str(guild or _HERE), str(channel))


def person(guild: int | None, user: int) -> Person:
    return Person(PLATFORM, str(guild or _HERE), str(user))


def workspace(guild: int) -> str:
    return workspace_key(PLATFORM, str(guild))


def message(channel: int, message_id: int, kind: str = "") -> str:
    return "/".join(filter(None, (str(channel), str(message_id), kind)))


def parse(text: str) -> Place:
    """Returns the place in a text. Raises ``DeliveryError`` (dead) for a text that names no Discord
    channel.
    """
    place = Place.parse(text)
    guild = place.workspace
    if not place.channel.isdecimal() or not (guild.isdecimal() or guild in ("", _HERE)):
        raise DeliveryError(DeliveryFailure.DEAD, f"{text!r} is no Discord channel")
    return place


def channel_id(text: str) -> int:
    """Returns the channel's id in a place. Raises ``DeliveryError`` as ``parse`` does."""
    return int(parse(text).channel)


def guild_id(text: str) -> int | None:
    """Returns the guild's id in a place; None for direct messages and if only the channel is
    known.

    Raises ``DeliveryError`` as ``parse`` does.
    """
    guild = parse(text).workspace
    if not guild.isdecimal():
        return None
    return int(guild)


def user_id(text: str) -> int:
    """Returns the account's id in a person. Raises ``DeliveryError`` (dead) for a text that names
    no Discord person.
    """
    account = Person.parse(text).account
    if not account.isdecimal():
        raise DeliveryError(DeliveryFailure.DEAD, f"{text!r} is nobody on Discord")
    return int(account)


def is_direct(place: Place) -> bool:
    return place.workspace == _HERE


def workspace_of(place: Place) -> str:
    """Returns the workspace of a place: its guild; each direct message is a separate workspace."""
    if is_direct(place):
        return str(place)
    return place.workspace_key or str(place)


def channel_named(text: str) -> str:
    """Returns a channel's number, plain or as Discord writes it (``<#123>``)."""
    channel = bare_channel(text)
    if channel and not channel.isdecimal():
        raise BadInput(
            "A Discord channel is named by its number: right-click it and choose Copy Channel ID."
        )
    return channel


def known_as(person: Person, places: Sequence[Place]) -> Person:
    """Returns the person under the name that the debate's first guild gives them, unless one of its
    guilds knows them already: a Discord account is one person in every guild and in direct
    messages.
    """
    here = (each for each in places if each.platform == PLATFORM)
    guilds = [each.workspace for each in here if not is_direct(each)]
    if not guilds or person.workspace in guilds:
        return person
    return replace(person, workspace=guilds[0])


def parts(text: str) -> tuple[int, int, str]:
    """Channel, message and kind of a message. Raises ``DeliveryError`` (dead) for another text."""
    channel, _, rest = text.partition("/")
    number, _, kind = rest.partition("/")
    if not (channel.isdecimal() and number.isdecimal()):
        raise DeliveryError(DeliveryFailure.DEAD, f"{text!r} is no Discord message")
    return int(channel), int(number), kind
