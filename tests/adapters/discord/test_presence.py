"""Who sees a channel of Discord, who may write in it, and who belongs to a server."""

from __future__ import annotations

from unittest.mock import Mock

import discord
import pytest

from adapters.discord.outgoing import presence
from core.application.presence import DeliveryError, Member, Membership
from tests.adapters.discord.conftest import Town
from tests.standins.discord_rest import Fault
from tests.standins.discord_world import FORUM, VOICE

VIEW, SEND, MANAGE_THREADS = 1 << 10, 1 << 11, 1 << 34


def _denied(who: str, bits: int) -> dict[str, object]:
    """What a channel's settings take away from everybody, or from a role."""
    return {"id": who, "type": 0, "allow": "0", "deny": str(bits)}


async def test_a_channel_is_open_where_everybody_sees_it(town: Town) -> None:
    discord, world = town.discord, town.discord.world
    hidden = world.channel(discord.guild, "hidden")
    hidden["permission_overwrites"] = [_denied(discord.guild, VIEW)]
    numbers = {
        "general": discord.general,
        "hidden": hidden["id"],
        "forum": world.channel(discord.guild, "forum", FORUM)["id"],
        "voice": world.channel(discord.guild, "voice", VOICE)["id"],
        "thread": world.open_thread(discord.general, "open", 1440)["id"],
        "below hidden": world.open_thread(hidden["id"], "below", 1440)["id"],
        "private thread": world.private_thread(discord.general, "quiet")["id"],
    }
    await town.restart()
    chat = town.app.chat
    open_to_all = {
        name: await chat.is_open(f"discord:{discord.guild}/{number}")
        for name, number in numbers.items()
    }
    assert open_to_all == {
        "general": True, "hidden": False, "forum": True, "voice": True, "thread": True,
        "below hidden": False, "private thread": False,
    }  # fmt: skip
    dm = world.dm(discord.ada)["id"]
    assert not await chat.is_open(f"discord:@me/{dm}")


async def test_a_person_is_inside_who_sees_the_channel(town: Town) -> None:
    discord, world = town.discord, town.discord.world
    hidden = world.channel(discord.guild, "hidden")
    hidden["permission_overwrites"] = [_denied(discord.guild, VIEW)]
    quiet = world.channel(discord.guild, "quiet")
    quiet["permission_overwrites"] = [_denied(discord.guild, SEND)]
    boss = discord.person("boss", permissions=1 << 3)
    await town.restart()
    chat, guild = town.app.chat, discord.guild
    ada, admin = f"discord:{guild}/{discord.ada}", f"discord:{guild}/{boss}"

    async def may(channel: str, person: str) -> tuple[bool, bool]:
        place = f"discord:{guild}/{channel}"
        return await chat.is_inside(place, person), await chat.may_write(place, person)

    assert await may(discord.general, ada) == (True, True)
    assert await may(quiet["id"], ada) == (True, False)
    assert await may(hidden["id"], ada) == (False, False)
    assert await may(hidden["id"], admin) == (True, True)
    assert await may(discord.general, f"discord:{guild}/1234") == (False, False)
    assert await may(discord.general, f"discord:99/{discord.ada}") == (False, False)
    assert await may(discord.general, "slack:T1/U1") == (False, False)
    dm = world.dm(discord.ada)["id"]
    assert not await chat.is_inside(f"discord:@me/{dm}", f"discord:@me/{discord.ada}")


async def test_only_who_was_added_is_inside_a_private_thread(town: Town) -> None:
    discord, world = town.discord, town.discord.world
    thread = world.private_thread(discord.general, "quiet")
    manager = discord.person("manager", permissions=MANAGE_THREADS)
    await town.restart()
    place = f"discord:{discord.guild}/{thread['id']}"
    person = f"discord:{discord.guild}/{discord.ada}"
    discord.rest.faults.append(Fault("GET", r"/thread-members/", 404, 10007))
    assert not await town.app.chat.is_inside(place, person)
    assert await town.app.chat.is_inside(place, f"discord:{discord.guild}/{manager}")
    discord.rest.faults.append(Fault("GET", r"/thread-members/", 403, 50001))
    with pytest.raises(DeliveryError):
        await town.app.chat.is_inside(place, person)


@pytest.mark.parametrize("known", [True, False])
async def test_what_is_not_known_of_a_channel_is_not_open(known: bool) -> None:
    """A guild without its roles, and a thread whose channel is not known."""
    everyone = Mock(spec=discord.Role)
    seen = discord.Permissions(view_channel=True)
    channel = Mock(spec=discord.TextChannel)
    channel.guild.id, channel.guild.get_role = 1, lambda id: everyone if known else None
    channel.permissions_for = lambda role: seen
    client = Mock(spec=discord.Client)
    client.get_channel = lambda id: channel
    assert await presence.is_open(client, "discord:1/2") is known
    thread = Mock(spec=discord.Thread)
    thread.guild, thread.parent = channel.guild, channel if known else None
    thread.is_private = lambda: False
    client.get_channel = lambda id: thread
    assert await presence.is_open(client, "discord:1/2") is known


async def test_discord_says_who_belongs_and_how_they_are_called(town: Town) -> None:
    ada, chat = town.discord.ada, town.app.chat
    assert await chat.name_of(f"discord:{town.discord.guild}/{ada}") == "ada"
    assert await chat.name_of(f"discord:@me/{ada}") == "ada"
    assert await chat.name_of(f"discord:99/{ada}") == ""
    assert await chat.name_of("discord:@me/1234") == ""
    assert isinstance(town.app, Membership)
    guild, user = town.discord.guild, town.discord.ada
    known = await town.app.member(f"discord:{guild}", user)
    assert known == Member(town.discord.world.users[user]["username"], admin=False)
    assert await town.app.member(f"discord:{guild}", "1234") is None
    assert await town.app.member("discord:1234", user) is None
    assert await town.app.member(f"discord:{guild}", "no number") is None
    assert await town.app.member(f"discord:{guild}", town.discord.world.bot["id"]) is None
    town.discord.rest.faults.append(Fault("GET", r"/members/", 403, 50001))
    with pytest.raises(DeliveryError):
        await town.app.member(f"discord:{guild}", user)
