"""Who belongs to a Discord server."""

from __future__ import annotations

import discord

from adapters.discord.settings import DiscordSettings
from adapters.ports.people import Member


async def member(
    client: discord.Client, settings: DiscordSettings, guild: int, user: int
) -> Member | None:
    """None for somebody who is not there, and for a server that we are not in.

    Raises what the library raises.
    """
    server = client.get_guild(guild)
    if server is None:
        return None
    try:
        found = await server.fetch_member(user)
    except discord.NotFound:
        return None
    held = found.guild_permissions
    admin = held.administrator or held.manage_guild
    if found.bot:
        return None
    return Member(found.display_name, admin)
