"""Finds the channel of a thread; one request to Discord for each thread that the library does not
know.
"""

from __future__ import annotations

import asyncio

import discord
from cachetools import LRUCache

from adapters.discord import places
from adapters.discord.incoming.payloads import channel_of
from adapters.discord.incoming.whole import thread_text
from core.debate.errors import BadInput
from core.languages import say

_REMEMBERED = 4_000


class Threads:
    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._parents: LRUCache[int, asyncio.Task[int]] = LRUCache(_REMEMBERED)

    async def place_of(self, guild: int | None, channel: int) -> tuple[str, str]:
        """Returns the place and thread of a channel id."""
        known = self._client.get_channel(channel)
        if guild is None or (known is not None and not isinstance(known, discord.Thread)):
            return str(places.place(guild, channel)), ""
        if known is not None:
            parent = channel_of(known)
        else:
            parent = await self._parent_of(channel)
        thread = "" if parent == channel else str(channel)
        return str(places.place(guild, parent)), thread

    async def text_of(self, message: discord.Message) -> str:
        """Returns the thread of a message as one text, without it. Raises ``BadInput``."""
        thread = self._client.get_channel(message.channel.id)
        if not isinstance(thread, discord.Thread):
            fetched = await self._client.fetch_channel(message.channel.id)
            if not isinstance(fetched, discord.Thread):
                raise BadInput(say("Ask for this in the thread that is to be debated."))
            thread = fetched
        return await thread_text(thread, self._client, without=message.id)

    def is_ours(self, channel: int, me: int) -> bool:
        """True if it is a thread that we opened, as far as the library knows."""
        known = self._client.get_channel(channel)
        return isinstance(known, discord.Thread) and known.owner_id == me

    async def _parent_of(self, channel: int) -> int:
        """Returns the channel of a thread that the library does not know; any other id is returned
        as it is. One request is sent, however many events need it.
        """
        lookup = self._parents.get(channel)
        if lookup is None or (
            lookup.done() and (lookup.cancelled() or lookup.exception() is not None)
        ):
            lookup = self._parents[channel] = asyncio.create_task(self._fetch_parent(channel))
        return await asyncio.shield(lookup)

    async def _fetch_parent(self, channel: int) -> int:
        fetched = await self._client.fetch_channel(channel)
        if isinstance(fetched, discord.Thread):
            return channel_of(fetched)
        return channel
