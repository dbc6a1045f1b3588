"""A Discord over real sockets with our adapter connected to it. After each test it is checked that
no request was sent which Discord would have refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import discord
import discord.http
import pytest

from adapters.discord.app import DiscordApp, DiscordConnection
from adapters.discord.outgoing.session import redirect
from adapters.discord.settings import DiscordSettings
from adapters.ports.chat import Post, Shape
from core.application.presence import Ref
from tests.adapters.desk import RecordingDesk
from tests.adapters.discord.posts import post
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_world import until


@dataclass
class Town:
    """Discord, the adapter on it, and the desk behind the adapter."""

    discord: DiscordStandIn
    desk: RecordingDesk
    settings: DiscordSettings
    app: DiscordApp

    @property
    def place(self) -> str:
        return f"discord:{self.discord.guild}/{self.discord.general}"

    async def debate(self, key: str = "d1:root", **more: Any) -> Ref:
        """Posts a root with its thread and its emojis."""
        return await self.seeded(None, post(key, Shape.ROOT, title="PR 7", **more))

    async def seeded(self, thread: str | None, post: Post, done: Sequence[str] = ()) -> Ref:
        """Sends a post and then its emojis, as the poster does."""
        ref = await self.app.chat.send(self.place, thread, post, done)
        await self.app.chat.add_reactions(ref, post)
        return ref

    async def restart(self) -> None:
        """Starts a new process on the same Discord; only the data that Discord keeps are left of
        the old one.
        """
        await self.app.stop()
        self.app = DiscordApp(DiscordConnection(self.settings), self.desk)
        await self.app.start()
        await until(lambda: self.app.ready() == "", what="ready again")


def settings_for(discord: DiscordStandIn, **changes: Any) -> DiscordSettings:
    made = DiscordSettings(
        token=discord.token,
        api_url=discord.api_url,
        gateway_url=discord.gateway_url,
        identify_pause=0.0,
        guild_wait=0.02,
        request_timeout=20.0,
    )
    return replace(made, **changes)


@asynccontextmanager
async def settled(discord: DiscordStandIn, **changes: Any) -> AsyncIterator[Town]:
    """Starts the adapter on a running stand-in."""
    settings = settings_for(discord, **changes)
    desk = RecordingDesk()
    app = DiscordApp(DiscordConnection(settings), desk)
    town = Town(discord, desk, settings, app)
    await app.start()
    try:
        await until(lambda: town.app.ready() == "", what="the adapter is ready")
        yield town
    finally:
        await town.app.stop()
        redirect(DiscordSettings(token=""))
    assert discord.violations == []


class _Quick:
    """The library's view of asyncio, in which its fixed pauses between tries (1, 3, 5, ... seconds)
    pass a thousand times faster.
    """

    def __getattr__(self, name: str) -> object:
        return getattr(asyncio, name)

    @staticmethod
    async def sleep(delay: float, result: object = None) -> object:
        return await asyncio.sleep(delay / 1000, result)


@pytest.fixture
def quick_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discord.http, "asyncio", _Quick())


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    async with DiscordStandIn() as discord, settled(discord) as town:
        yield town
