"""The verdict of a debate whose thread was locked, archived or deleted and takes no messages: it
goes to the thread's channel, below the debate's first message, with a link.
"""

from __future__ import annotations

from dataclasses import replace

import discord

from adapters.discord import places
from adapters.discord.outgoing import failures
from adapters.discord.outgoing.channels import Channel
from adapters.ports.chat import Post, Shape
from adapters.text.pieces import TextSpan
from core.application.presence import DeliveryError, DeliveryFailure
from core.languages import msgid, say

CLOSED = msgid("This debate's thread takes no messages any more, so its decision is here. ")
LINK = msgid("Read the debate")
_CODES = frozenset(
    {
        failures.ARCHIVED,
        failures.LOCKED,
        failures.MISSING_ACCESS,
        failures.MISSING_PERMISSIONS,
        failures.UNKNOWN_CHANNEL,
    }
)


def goes_outside(channel: Channel, post: Post, error: Exception) -> bool:
    """True if ``post`` is to be read in the channel, because its thread refused it for good."""
    if post.shape is not Shape.VERDICT or not isinstance(channel, discord.TextChannel):
        return False
    if isinstance(error, DeliveryError):
        return error.kind == DeliveryFailure.DEAD
    return isinstance(error, discord.HTTPException) and error.code in _CODES


def linked(post: Post, place: str, thread: str) -> Post:
    """Returns a verdict for the channel, with the address of its thread."""
    guild = places.parse(place).workspace
    link = TextSpan(say(LINK), url=f"https://discord.com/channels/{guild}/{thread}")
    return replace(post, lines=((TextSpan(say(CLOSED)), link), *post.lines))


def is_outside(client: discord.Client, post: Post, message: str) -> bool:
    """True if a verdict's ``message`` is in the channel of its thread."""
    channel = client.get_channel(places.parts(message)[0])
    return post.shape is Shape.VERDICT and isinstance(channel, discord.TextChannel)
