"""Reads the person and the place from Discord's objects: the only module that knows how threads,
forums and direct messages are named.

Inside a thread the place is the channel it hangs on and ``thread`` its id. If there are no threads,
and inside a private thread, ``thread`` is the message that was replied to.
"""

from __future__ import annotations

import re

import discord

from adapters.discord import places, scopes
from adapters.discord.incoming.words import words
from adapters.discord.settings import DiscordSettings
from core.application.desk import Caller
from core.languages import accepted

Interaction = discord.Interaction[discord.Client]


def caller_of(interaction: Interaction, settings: DiscordSettings) -> Caller:
    """Returns the caller of a command, press or form."""
    user, channel = interaction.user, interaction.channel
    parent, thread = _where(channel, interaction.channel_id or 0)
    rights = interaction.permissions
    return Caller(
        person=str(places.person(interaction.guild_id, user.id)),
        place=str(places.place(interaction.guild_id, parent)),
        source=source(interaction.id),
        name=user.display_name,
        thread=thread,
        admin=scopes.administers(rights),
        moderates=rights.manage_threads or _has_role(user, settings),
        bot=user.bot,
        private=interaction.guild_id is None,
        confirms_price=True,
        language=accepted(str(interaction.locale), ""),
    )


def source(id: int | str) -> str:
    """Returns the key under which a request by an interaction, a message or an event is taken
    once.
    """
    return f"{places.PLATFORM}:{id}"


def author_of(message: discord.Message, settings: DiscordSettings) -> Caller:
    """Returns the author of a message."""
    parent, thread = _where(message.channel, message.channel.id)
    guild = message.guild.id if message.guild else None
    author = message.author
    return Caller(
        person=str(places.person(guild, author.id)),
        place=str(places.place(guild, parent)),
        source=source(message.id),
        name=author.display_name,
        thread=thread or _root_of_reply(message),
        admin=isinstance(author, discord.Member) and scopes.administers(author.guild_permissions),
        moderates=_may_manage(author, message.channel) or _has_role(author, settings),
        bot=author.bot,
        private=message.guild is None,
        confirms_price=True,
    )


def _root_of_reply(message: discord.Message) -> str:
    """Returns the root that a reply belongs to, if there are no threads: our posts below a root are
    themselves replies to it.
    """
    reference = message.reference
    if reference is None or reference.message_id is None:
        return ""
    answered = reference.resolved
    if (
        isinstance(answered, discord.Message)
        and answered.reference is not None
        and answered.reference.message_id is not None
    ):
        return str(answered.reference.message_id)
    return str(reference.message_id)


def _may_manage(author: discord.User | discord.Member, channel: object) -> bool:
    """True if someone may manage the threads of a channel; if the channel is not known, of the
    guild.
    """
    if not isinstance(author, discord.Member):
        return False
    where = channel
    if isinstance(channel, discord.Thread):
        where = channel.parent
    if isinstance(where, discord.abc.GuildChannel):
        return where.permissions_for(author).manage_threads
    return author.guild_permissions.manage_threads


def _has_role(user: discord.User | discord.Member, settings: DiscordSettings) -> bool:
    """True if a member holds one of the configured roles, by name or id."""
    if not isinstance(user, discord.Member):
        return False
    return any(
        role.name in settings.admin_roles or str(role.id) in settings.admin_roles
        for role in user.roles
    )


def _where(channel: object, fallback: int) -> tuple[int, str]:
    """Returns the channel that a conversation belongs to, and its thread."""
    if isinstance(channel, discord.Thread) and (parent := channel_of(channel)) != channel.id:
        return parent, str(channel.id)
    return fallback, ""


def channel_of(thread: discord.Thread) -> int:
    """Returns the channel that a thread hangs on.

    A private thread is a separate channel: its debates are not for the channel's readers.
    """
    if thread.is_private():
        return thread.id
    return thread.parent_id


def mentions(message: discord.Message, me: int) -> bool:
    """True if we are mentioned, by our name or by the role that Discord made for us, which is named
    the same.
    """
    named = any(user.id == me for user in message.mentions)
    return named or _own_role(message) in {role.id for role in message.role_mentions}


def without_mention(message: discord.Message, me: int) -> str:
    """Returns the words of a message without our name in them, as people see them."""
    names = rf"{me}|&{_own_role(message)}"  # no role has the number 0
    text = re.sub(rf"<@!?(?:{names})>[:,]?", "", message.content).strip()
    return words(text, message.guild, {user.id: user.display_name for user in message.mentions})


def _own_role(message: discord.Message) -> int:
    if message.guild is None or message.guild.self_role is None:
        return 0
    return message.guild.self_role.id
