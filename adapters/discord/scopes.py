"""The intents, scopes and permissions that the bot needs, and the effect of each that is missing.

``manifests/discord.json`` and the install link are made from these values.
"""

from __future__ import annotations

import discord

SCOPES = ("bot", "applications.commands")

PERMISSIONS: dict[str, str] = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "create_public_threads": "Create Public Threads",
    "embed_links": "Embed Links",
    "attach_files": "Attach Files",
    "read_message_history": "Read Message History",
    "add_reactions": "Add Reactions",
    "create_polls": "Create Polls",
    "pin_messages": "Pin Messages",
    "bypass_slowmode": "Bypass Slowmode",
}
"""The library's name of each permission and its name in Discord's settings."""

ROOT_NEEDS = ("view_channel", "send_messages", "create_public_threads", "send_messages_in_threads")
FORUM_NEEDS = ("view_channel", "send_messages", "send_messages_in_threads")
FLAT_NEEDS = ("view_channel", "send_messages")
THREAD_NEEDS = ("view_channel", "send_messages_in_threads")
READING = discord.Permissions(view_channel=True)
"""The permission that a person needs to see a channel."""
WRITING = discord.Permissions(view_channel=True, send_messages=True)
"""The permissions that a person needs to write in a channel."""


def servers_only() -> discord.Intents:
    """Returns the intents of a login that only posts: servers and their channels."""
    chosen = discord.Intents.none()
    chosen.guilds = True
    return chosen


def intents(*, message_content: bool) -> discord.Intents:
    """Guilds, messages and reactions of guilds and direct messages; the text of messages only if
    the owner has allowed it.
    """
    chosen = servers_only()
    chosen.guild_messages = True
    chosen.guild_reactions = True
    chosen.dm_messages = True
    chosen.dm_reactions = True
    chosen.message_content = message_content
    return chosen


def administers(held: discord.Permissions) -> bool:
    """True if a person with these permissions runs the server."""
    return held.administrator or held.manage_guild


def permissions() -> discord.Permissions:
    return discord.Permissions(**dict.fromkeys(PERMISSIONS, True))


def install_url(application: int | str) -> str:
    """Returns the link with which an administrator adds the bot to a server."""
    return discord.utils.oauth_url(application, permissions=permissions(), scopes=SCOPES)


def missing(held: discord.Permissions, needed: tuple[str, ...]) -> list[str]:
    """Returns people's names of the permissions that are needed and not held."""
    return [PERMISSIONS[name] for name in needed if not getattr(held, name)]
