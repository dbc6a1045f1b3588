"""The members of a Discord server are those that Discord names."""

from __future__ import annotations

import pytest

from core.application.presence import DeliveryError, Member, Membership
from tests.adapters.discord.conftest import Town
from tests.standins.discord_rest import Fault


async def test_discord_says_who_belongs(town: Town) -> None:
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
