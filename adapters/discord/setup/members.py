"""The members of a Discord server."""

from __future__ import annotations

import discord

from adapters.discord.settings import DiscordSettings
from adapters.ports.people import Member


async def member(
    client: discord.Client, settings: DiscordSettings, guild: int, user: int
) -> Member | None:
    """Returns the member of a server; None for a person who is not in it, and for a server that the
    bot is not in.

    Raises what the library raises.
    """
    server = client.get_guild(guild)
    if server is None:
        return None
    try:
        member_there = await server.fetch_member(user)
    except discord.NotFound:
        return None
    held = member_there.guild_permissions
    admin = held.administrator or held.manage_guild
    if member_there.bot:
        return None
    return Member(member_there.display_name, admin)
