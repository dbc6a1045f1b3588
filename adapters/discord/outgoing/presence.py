"""Determines who can read a channel of Discord, from the roles and channels that the library knows,
else by asking Discord.
"""

from __future__ import annotations

import discord

from adapters.discord import places
from adapters.discord.outgoing import channels
from core.application.place import Person


async def is_open(client: discord.Client, place: str) -> bool:
    """True if every member of the guild sees the channel."""
    channel = await channels.channel_of(client, place)
    if isinstance(channel, discord.DMChannel | discord.PartialMessageable):
        return False
    if isinstance(channel, discord.Thread) and channel.is_private():
        return False
    everyone = channel.guild.get_role(channel.guild.id)
    where = channel.parent if isinstance(channel, discord.Thread) else channel
    if where is None or everyone is None:
        return False
    return where.permissions_for(everyone).view_channel


async def name_of(client: discord.Client, person: str) -> str:
    """Returns the name of a person in their guild, or the person's own name in direct messages; ""
    for someone who is not there.
    """
    guild, user = places.guild_id(person), places.user_id(person)
    try:
        if guild is None:
            return (client.get_user(user) or await client.fetch_user(user)).display_name
        members = client.get_guild(guild)
        if members is None:
            return ""
        return (members.get_member(user) or await members.fetch_member(user)).display_name
    except discord.NotFound:
        return ""


async def holds(
    client: discord.Client, place: str, person: str, rights: discord.Permissions
) -> bool:
    """True if a person has these rights in the channel; nobody has any in a private thread
    without being added to it, except those who manage threads.
    """
    number = places.guild_id(place)
    if number is None or Person.parse(person).workspace_key != places.workspace(number):
        return False
    guild = client.get_guild(number)
    channel = await channels.channel_of(client, place)
    if guild is None or isinstance(channel, discord.DMChannel | discord.PartialMessageable):
        return False
    user = places.user_id(person)
    try:
        member = guild.get_member(user) or await guild.fetch_member(user)
        if isinstance(channel, discord.Thread) and channel.is_private():
            held = channel.permissions_for(member)
            if not held.manage_threads:
                await channel.fetch_member(user)
    except discord.NotFound:
        return False
    return channel.permissions_for(member).is_superset(rights)
