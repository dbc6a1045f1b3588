"""Who did something and where, from Discord's objects: the only place that knows how threads, forums and direct messages are named.

Inside a thread the place is the channel it hangs on and ``thread`` its id. Where there are no threads, ``thread`` is the message that was
replied to.
"""

from __future__ import annotations

import discord

from adapters.desk import Caller
from adapters.discord import places
from adapters.discord.settings import DiscordSettings


def of(interaction: discord.Interaction[discord.Client], settings: DiscordSettings) -> Caller:
    """The caller of a command, press or form."""
    user, channel = interaction.user, interaction.channel
    parent, thread = _where(channel, interaction.channel_id or 0)
    return Caller(
        person=places.person(user.id),
        place=places.place(interaction.guild_id, parent),
        source=f"discord:{interaction.id}",
        name=user.display_name,
        thread=thread,
        admin=interaction.permissions.manage_threads or has_role(user, settings),
        private=interaction.guild_id is None,
    )


def of_message(message: discord.Message, settings: DiscordSettings) -> Caller:
    """The author of a message."""
    parent, thread = _where(message.channel, message.channel.id)
    reference = message.reference
    if not thread and reference is not None and reference.message_id is not None:
        thread = str(reference.message_id)
    author = message.author
    manages = isinstance(author, discord.Member) and author.guild_permissions.manage_threads
    return Caller(
        person=places.person(author.id),
        place=places.place(message.guild.id if message.guild else None, parent),
        source=f"discord:{message.id}",
        name=author.display_name,
        thread=thread,
        admin=manages or has_role(author, settings),
        private=message.guild is None,
    )


def has_role(user: discord.User | discord.Member, settings: DiscordSettings) -> bool:
    """Whether a member holds one of the configured roles, by name or id."""
    if not isinstance(user, discord.Member):
        return False
    return any(role.name in settings.admin_roles or str(role.id) in settings.admin_roles for role in user.roles)


def _where(channel: object, fallback: int) -> tuple[int, str]:
    """The channel that a conversation belongs to, and its thread."""
    if isinstance(channel, discord.Thread):
        return channel.parent_id, str(channel.id)
    return fallback, ""
