"""A login for posting: it knows the servers and their channels, and receives nothing that people do
there.
"""

from __future__ import annotations

import asyncio

import discord
import yarl

from adapters.discord.settings import DiscordSettings
from adapters.network.session import connector


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
