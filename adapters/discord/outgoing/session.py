"""A login for posting: it knows the servers and their channels, and receives nothing that people do
there. Its requests go to the configured addresses.
"""

from __future__ import annotations

import asyncio

import discord
import yarl
from discord import VoiceClient
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.discord.settings import DiscordSettings
from adapters.network.session import connector

VoiceClient.warn_nacl = VoiceClient.warn_dave = False  # no warnings about voice at each start
_API, _GATEWAY = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY


def redirect(settings: DiscordSettings) -> None:
    """Points the library at the configured addresses.

    They belong to the whole process, as the library keeps them.
    """
    Route.BASE = settings.api_url.rstrip("/") or _API
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url or str(_GATEWAY))


class DiscordClient(discord.AutoShardedClient):
    """discord.py's client, sharded when Discord asks for it."""

    def __init__(self, settings: DiscordSettings, intents: discord.Intents) -> None:
        super().__init__(
            connector=connector(settings.reach, limit=0),
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            guild_ready_timeout=settings.guild_wait,
            max_ratelimit_timeout=30.0,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
        )
        self._settings = settings

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        if not initial:
            await asyncio.sleep(self._settings.identify_pause)

    async def launch_shard(
        self, gateway: yarl.URL, shard_id: int, *, initial: bool = False
    ) -> None:
        """Connects to the configured gateway instead of Discord's, so that a proxy is not
        bypassed.
        """
        configured = self._settings.gateway_url
        if configured:
            gateway = yarl.URL(configured)
        await super().launch_shard(gateway, shard_id, initial=initial)
