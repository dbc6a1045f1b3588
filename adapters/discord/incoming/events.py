"""Listens for events around messages: reactions, polls that end, and the bot's removal."""

from __future__ import annotations

from itertools import count

import discord

from adapters.discord import places
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.payloads import source
from adapters.discord.incoming.threads import Threads
from adapters.discord.outgoing.reactions import answer_name, reaction_name
from core.application.desk import Caller

_SERIAL = count(1)


class Events:
    def __init__(self, listener: Listener, threads: Threads) -> None:
        self._listener = listener
        self._threads = threads

    async def reaction(
        self, payload: discord.RawReactionActionEvent, me: int, *, added: bool
    ) -> None:
        """Hands on a person's reaction on one of our messages. Those of bots, our own too, and
        those on other people's messages are ignored.
        """
        ours = payload.message_author_id in (None, me) or self._threads.is_ours(
            payload.channel_id, me
        )  # a seat that speaks under its name has an id of its own
        if added and not ours:
            return
        if payload.user_id == me or (payload.member is not None and payload.member.bot):
            return
        place, thread = await self._threads.place_of(payload.guild_id, payload.channel_id)
        message = places.message(payload.channel_id, payload.message_id)
        # A reaction has no id of its own; this one is new for every event, and a replayed session
        # repeats none.
        now = discord.utils.time_snowflake(discord.utils.utcnow())
        caller = Caller(
            str(places.person(payload.guild_id, payload.user_id)),
            place,
            source(f"{message}:{payload.user_id}:{now}:{next(_SERIAL)}"),
            getattr(payload.member, "display_name", ""),
            thread,
            private=payload.guild_id is None,
        )
        emoji = reaction_name(payload.emoji)
        await self._listener.desk.take_reaction(place, message, caller, emoji, added)

    async def poll_ended(self, message: discord.Message, me: int) -> None:
        """Passes on the votes of our poll that Discord has closed, as if they were reactions."""
        reference = message.reference
        if reference is None or reference.message_id is None or message.author.id != me:
            return
        ended = await message.channel.fetch_message(reference.message_id)
        if ended.poll is None:
            return
        guild = message.guild.id if message.guild else None
        place, thread = await self._threads.place_of(guild, message.channel.id)
        own = places.message(message.channel.id, ended.id, places.POLL)
        for answer in ended.poll.answers:
            async for user in answer.voters():
                caller = Caller(
                    str(places.person(guild, user.id)),
                    place,
                    source(f"poll:{ended.id}:{answer.id}:{user.id}"),
                    user.display_name,
                    thread,
                    private=guild is None,
                )
                emoji = answer_name(answer)
                await self._listener.desk.take_reaction(place, own, caller, emoji, True)

    async def removed(self, guild: discord.Guild) -> None:
        """Deletes the data of a server that removed the bot."""
        await self._listener.desk.forget_workspace(places.workspace(guild.id))
