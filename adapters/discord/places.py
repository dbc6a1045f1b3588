"""Discord's ids as the strings that the rest of the program keeps, opaque to all but this package.

A place is ``discord:GUILD/CHANNEL`` (``discord:@me/CHANNEL`` for a direct message;
``discord:CHANNEL`` is understood too). A person is ``discord:GUILD/USER``, so that what one guild
knows of somebody never mixes with another. A message is ``CHANNEL/MESSAGE``, so that it can be
found again without its place; ``/file`` or ``/poll`` behind it marks the companion messages of a
post, which are never edited in place.
"""

from __future__ import annotations

from dataclasses import dataclass

from adapters.ports.chat import DeliveryError

PLATFORM = "discord"
HERE = "@me"
FILE, POLL = "file", "poll"


@dataclass(frozen=True, slots=True)
class Spot:
    """A channel of a guild; ``guild`` is None for direct messages and where only the channel is
    known.
    """

    guild: int | None
    channel: int


def place(guild: int | None, channel: int) -> str:
    return f"{PLATFORM}:{guild if guild is not None else HERE}/{channel}"


def workspace(guild: int) -> str:
    return f"{PLATFORM}:{guild}"


def person(guild: int | None, user: int) -> str:
    return f"{PLATFORM}:{guild if guild is not None else HERE}/{user}"


def message(channel: int, message_id: int, kind: str = "") -> str:
    return f"{channel}/{message_id}/{kind}" if kind else f"{channel}/{message_id}"


def spot(text: str) -> Spot:
    """Raises ``DeliveryError`` (dead) for a text that names no Discord channel."""
    rest = text.removeprefix(f"{PLATFORM}:")
    guild, _, channel = rest.rpartition("/")
    if not channel.isdecimal() or not (guild.isdecimal() or guild in ("", HERE)):
        raise DeliveryError("dead", f"{text!r} is no Discord channel")
    return Spot(int(guild) if guild.isdecimal() else None, int(channel))


def is_direct(text: str) -> bool:
    return text.removeprefix(f"{PLATFORM}:").startswith(f"{HERE}/")


def user(text: str) -> int:
    """Raises ``DeliveryError`` (dead) for a text that names no Discord person."""
    rest = text.removeprefix(f"{PLATFORM}:").rpartition("/")[2]
    if not rest.isdecimal():
        raise DeliveryError("dead", f"{text!r} is nobody on Discord")
    return int(rest)


def parts(text: str) -> tuple[int, int, str]:
    """Channel, message and kind of a message. Raises ``DeliveryError`` (dead) for anything else."""
    channel, _, rest = text.partition("/")
    number, _, kind = rest.partition("/")
    if not (channel.isdecimal() and number.isdecimal()):
        raise DeliveryError("dead", f"{text!r} is no Discord message")
    return int(channel), int(number), kind
