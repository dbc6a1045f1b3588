"""Finds the target of a message among channels, threads, forums and direct messages, and checks the
permissions that each needs.

An archived thread is opened once and the act repeated; a permission that is known to be missing is
named before anything is sent.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Literal, TypeVar

import discord

from adapters.discord import places, scopes
from adapters.discord.outgoing import failures
from adapters.discord.outgoing.layout import thread_name
from adapters.ports.chat import Post
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.stored import stored

_log = logging.getLogger(__name__)
ARCHIVE_AFTER: Literal[10080] = 10080  # minutes without a message: a week, the longest there is
FORGOTTEN = "A debate that was deleted"
"""The name of a thread whose debate was forgotten."""
NO_MENTIONS = discord.AllowedMentions.none()

Home = (
    discord.TextChannel
    | discord.VoiceChannel
    | discord.StageChannel
    | discord.Thread
    | discord.DMChannel
    | discord.PartialMessageable
)
Channel = Home | discord.ForumChannel
_T = TypeVar("_T")


async def channel_of(client: discord.Client, place: str) -> Channel:
    """Returns the channel of a place, from the library's memory or from Discord.

    Raises ``DeliveryError`` (dead) for a channel that takes no messages.
    """
    number = places.channel_id(place)
    if places.is_direct(places.parse(place)):
        return client.get_partial_messageable(number, type=discord.ChannelType.private)
    channel = client.get_channel(number) or await client.fetch_channel(number)
    if isinstance(channel, Channel):
        return channel
    raise DeliveryError(
        DeliveryFailure.DEAD, stored("{where} takes no messages", where=name_of(channel))
    )


def me_on(client: discord.Client) -> int:
    """Returns the id of the bot's account, 0 before it is known."""
    return client.user.id if client.user is not None else 0


def is_ours(client: discord.Client, message: discord.Message) -> bool:
    """True if the bot wrote a message, by itself or through one of its webhooks, whose application
    Discord names.
    """
    if message.webhook_id is not None and message.application_id == client.application_id:
        return True
    return message.author.id == me_on(client)


def home_of(client: discord.Client, place: str, channel: int) -> Home:
    """Returns the channel or thread with an id, without asking Discord: an archived thread is not
    in the library's memory.
    """
    home = client.get_channel(channel)
    if isinstance(home, Home):
        return home
    return client.get_partial_messageable(channel, guild_id=places.guild_id(place))


def thread_of(
    client: discord.Client, place: str, channel: Channel, thread: str
) -> tuple[Home, int | None]:
    """Returns the thread for posts below a root, and the message to reply to if there is
    no thread.
    """
    if not thread.isdecimal():
        raise DeliveryError(DeliveryFailure.DEAD, f"{thread!r} is no Discord thread")
    if isinstance(channel, discord.TextChannel | discord.ForumChannel):
        return home_of(client, place, int(thread)), None
    return channel, int(thread)


def name_of(channel: object) -> str:
    """Returns a channel's name as people know it."""
    name = getattr(channel, "name", None)
    if name:
        return f"#{name}"
    return "this conversation"


def place_name(client: discord.Client, place: str) -> str:
    return name_of(client.get_channel(places.channel_id(place)))


def permissions_in(channel: Channel) -> discord.Permissions | None:
    """Returns the bot's permissions in a channel; None if they are not known (direct messages, a
    guild not loaded yet).
    """
    if isinstance(channel, discord.PartialMessageable | discord.DMChannel):
        return None
    if isinstance(channel, discord.Thread) and channel.parent is None:
        return None
    guild = channel.guild
    me: discord.Member | None = guild.me  # the library has none before the guild is loaded
    if me is None or guild.get_role(guild.id) is None:
        return None
    return channel.permissions_for(me)


def require(channel: Channel, needed: tuple[str, ...]) -> None:
    """Raises ``DeliveryError`` (dead) naming every permission that is missing; a thread needs other
    permissions.
    """
    if isinstance(channel, discord.Thread):
        needed = scopes.THREAD_NEEDS
    permissions = permissions_in(channel)
    if permissions is None:
        return
    missing = scopes.missing(permissions, needed)
    if missing:
        raise DeliveryError(
            DeliveryFailure.DEAD,
            stored(
                "my role lacks {permissions} in {where}: an administrator can give it in the "
                "channel's settings",
                permissions=", ".join(missing),
                where=name_of(channel),
            ),
        )


async def with_open_thread(
    client: discord.Client, home: Home, act: Callable[[], Awaitable[_T]]
) -> _T:
    """Runs ``act``; if a thread is archived, opens it once and runs ``act`` again."""
    try:
        return await act()
    except discord.HTTPException as error:
        if error.code != failures.ARCHIVED:
            raise
    thread = client.get_channel(home.id) or await client.fetch_channel(home.id)
    if isinstance(thread, discord.Thread):
        try:
            await thread.edit(archived=False)
        except discord.Forbidden as error:
            raise DeliveryError(
                DeliveryFailure.DEAD, failures.TOLD[failures.ARCHIVED].format(where=name_of(thread))
            ) from error
    return await act()


async def require_unlocked(client: discord.Client, home: Home) -> None:
    """Raises ``DeliveryError`` (dead) for a thread that people locked and the bot may not open."""
    thread = client.get_channel(home.id) or await client.fetch_channel(home.id)
    if not isinstance(thread, discord.Thread) or not thread.locked:
        return
    permissions = permissions_in(thread)
    if permissions is None or not permissions.manage_threads:
        text = failures.TOLD[failures.LOCKED].format(where=name_of(thread))
        raise DeliveryError(DeliveryFailure.DEAD, text)


async def open_thread(
    client: discord.Client, channel: discord.TextChannel, root: int, post: Post
) -> Home:
    """Returns the thread on a root, created unless it is there."""
    try:
        return await channel.get_partial_message(root).create_thread(
            name=thread_name(post), auto_archive_duration=ARCHIVE_AFTER
        )
    except discord.HTTPException as error:
        if error.code != failures.THREAD_EXISTS:
            raise
    return client.get_partial_messageable(root, guild_id=channel.guild.id)


async def rename(client: discord.Client, thread: str, name: str) -> None:
    """Gives a thread its debate's title, which is known only once the material has been read.

    A failure is ignored, because Discord allows few renames.
    """
    channel = client.get_channel(int(thread))
    if not isinstance(channel, discord.Thread) or channel.name == name or channel.archived:
        return
    try:
        await channel.edit(name=name)
    except (discord.HTTPException, discord.RateLimited, KeyError) as error:  # KeyError: no time
        _log.info("a thread keeps its first name: %s", error, extra={"action": "discord_rename"})


async def take_name(client: discord.Client, thread: int) -> None:
    """Gives the thread with the id of its first message a name that says nothing of its debate; if
    there is none, nothing is done.
    """
    try:
        channel = client.get_channel(thread) or await client.fetch_channel(thread)
    except discord.NotFound:
        return
    if isinstance(channel, discord.Thread) and channel.name != FORGOTTEN:
        await with_open_thread(client, channel, partial(channel.edit, name=FORGOTTEN))


async def pin(client: discord.Client, place: str, known: str) -> None:
    """Pins a message in its thread, if the bot may. A failure is ignored."""
    channel, number, _ = places.parts(known)
    home = home_of(client, place, channel)
    if not isinstance(home, discord.Thread):
        return
    permissions = permissions_in(home)
    if permissions is None or not permissions.pin_messages:
        return
    try:
        await home.get_partial_message(number).pin()
    except (discord.HTTPException, discord.RateLimited) as error:
        _log.info("a verdict is not pinned: %s", error, extra={"action": "discord_pin"})


async def remove(home: Home, message: int) -> None:
    """Deletes one of our messages; a message that is gone counts as deleted."""
    try:
        await home.get_partial_message(message).delete()
    except discord.NotFound:
        return
