"""Posts into Discord channels and threads, once each.

A root is a message in its channel with a thread (in a forum it is the forum's post); if there can
be no threads - direct messages and voice channels - the rest of a debate are replies to the root.
Every message has a nonce made from its post, so sending again within some minutes returns the
existing message; after that the outbox calls ``find``, which recognizes messages by the id of their
outermost component.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import partial

import discord

from adapters.discord import places, scopes
from adapters.discord.outgoing import channels, failures, outside, presence, reactions
from adapters.discord.outgoing.channels import NO_MENTIONS, Channel, Home
from adapters.discord.outgoing.faces import Faces
from adapters.discord.outgoing.history import find_forum_root, find_parts
from adapters.discord.outgoing.layout import answer_parts, layout, thread_name
from adapters.discord.outgoing.messages import (
    end_poll,
    fetch,
    forum_post,
    rewrite,
    send_parts,
    text_parts,
)
from adapters.ports.chat import PartialDelivery, Post, Reaction, Shape, with_signature
from core.application.presence import DeliveryError, DeliveryFailure, Ref

PrivatePost = Callable[[str, str, str], Awaitable[bool]]
"""Place, person, text: shows a private line with the person's last command; false if Discord no
longer allows it.
"""


class DiscordChat:
    """The ``Chat`` port. ``client`` gives the live client, or None while there is none."""

    platform = places.PLATFORM

    def __init__(
        self,
        client: Callable[[], discord.Client | None],
        post_private: PrivatePost,
        timeout: float,
        pictures: Mapping[str, str],
    ) -> None:
        self._client = client
        self._post_private = post_private
        self._timeout = timeout
        self._adder = reactions.ReactionAdder()
        self._faces = Faces(pictures)

    @property
    def workspace(self) -> str:
        """Returns the guild that a bare channel belongs to; "" unless the bot is in exactly one."""
        client = self._client()
        if client is None or len(client.guilds) != 1:
            return ""
        return str(client.guilds[0].id)

    async def send(
        self,
        place: str,
        thread: str | None,
        post: Post,
        done: Sequence[str] = (),
        on_partial: PartialDelivery | None = None,
    ) -> Ref:
        """Sends what is missing of ``post``. A root that is there already only gets its thread."""
        async with self._connected(place) as client:
            channel = await channels.channel_of(client, place)
            if thread is None:
                ids, thread = await self._root(client, channel, post, list(done), on_partial)
            else:
                ids = await self._below(client, place, channel, thread, post, done, on_partial)
                if post.shape is Shape.VERDICT:
                    await channels.pin(client, place, ids[0])
            return Ref(place, thread, tuple(ids))

    async def _below(
        self,
        client: discord.Client,
        place: str,
        channel: Channel,
        thread: str,
        post: Post,
        done: Sequence[str],
        on_partial: PartialDelivery | None,
    ) -> list[str]:
        """Sends what is missing of a post below a root. A verdict whose thread is closed for good
        goes to the channel.
        """
        home, reply = channels.thread_of(client, place, channel, thread)
        there = list(done)

        async def on_parts(ids: Sequence[str]) -> None:
            there[:] = ids
            if on_partial:
                await on_partial(thread, ids)

        try:
            channels.require(channel, scopes.THREAD_NEEDS if reply is None else scopes.FLAT_NEEDS)
            speak, signed = None, post
            spoken = bool(post.who and post.face)
            if spoken and (hook := await self._faces.hook(client, home)) is not None:
                speak = partial(self._faces.speak, client, hook, home, post)
                signed = with_signature(post)
            parts = layout(signed, home.id)
            return await send_parts(client, home, parts, list(done), signed, reply, on_parts, speak)
        except (discord.HTTPException, DeliveryError) as error:
            if not outside.goes_outside(channel, post, error):
                if isinstance(error, discord.Forbidden):
                    await channels.require_unlocked(client, home)
                raise
        post = outside.linked(post, place, thread)
        parts = layout(post, places.channel_id(place))
        home = channels.home_of(client, place, places.channel_id(place))
        return await send_parts(client, home, parts, there, post, int(thread), on_parts)

    async def edit(self, ref: Ref, post: Post) -> Ref:
        """Rewrites the texts of a post in place; a longer text gets more messages, a shorter one
        leaves fewer. Files stay; a poll that ``post`` no longer asks for ends.
        """
        async with self._connected(ref.place) as client:
            texts = [each for each in ref.ids if not places.parts(each)[2]]
            extras = [each for each in ref.ids if places.parts(each)[2]]
            if not texts:
                raise DeliveryError(DeliveryFailure.DEAD, "there is no message to edit")
            if outside.is_outside(client, post, texts[0]):
                post = outside.linked(post, ref.place, ref.thread)
            parts = text_parts(post, texts[0])
            for number, known in enumerate(texts[: len(parts)]):
                await rewrite(client, ref.place, known, text_parts(post, known)[number])
            if len(parts) > len(texts):
                home, reply = channels.thread_of(
                    client, ref.place, await channels.channel_of(client, ref.place), ref.thread
                )
                longer = [part for part in layout(post, home.id) if not part.kind]
                texts = await send_parts(client, home, longer, texts, post, reply)
            for known in texts[len(parts) :]:
                channel, number, _ = places.parts(known)
                await channels.remove(channels.home_of(client, ref.place, channel), number)
            if post.shape is Shape.ROOT and ref.thread.isdecimal():
                await channels.rename(client, ref.thread, thread_name(post))
            if not post.poll:
                for extra in extras:
                    await end_poll(client, ref.place, extra)
            return Ref(ref.place, ref.thread, (*texts[: len(parts)], *extras))

    async def add_reactions(self, ref: Ref, post: Post, done: Sequence[str] = ()) -> None:
        """Puts all reactions on at once, because the library paces them itself. A message that is
        gone is passed over.
        """
        async with self._connected(ref.place) as client:
            with suppress(discord.NotFound):
                await self._adder.add(client, ref.place, ref.ids, post)

    async def find(
        self, place: str, thread: str | None, post: Post, since: datetime
    ) -> Sequence[str]:
        async with self._connected(place) as client:
            channel = await channels.channel_of(client, place)
            permissions = channels.permissions_in(channel)
            if permissions is not None and not permissions.read_message_history:
                raise DeliveryError(
                    DeliveryFailure.UNCERTAIN,
                    f"I may not read the history of {channels.name_of(channel)}: give my role Read "
                    "Message History",
                )
            if thread is not None:
                home, _ = channels.thread_of(client, place, channel, thread)
                ids: list[str] = []
                with suppress(discord.NotFound):  # the thread was deleted
                    ids += await find_parts(client, home, layout(post, home.id), since)
                if post.shape is Shape.VERDICT and isinstance(channel, discord.TextChannel):
                    rest = layout(outside.linked(post, place, thread), channel.id)[len(ids) :]
                    ids += await find_parts(client, channel, rest, since)
                return ids
            if isinstance(channel, discord.ForumChannel):
                root = await find_forum_root(client, channel, post, since)
            else:
                first = await find_parts(client, channel, layout(post, channel.id)[:1], since)
                root = places.parts(first[0])[:2] if first else None
            if root is None:
                return []
            return [
                places.message(*root),
                *await self._rest_of_root(client, place, channel, root[1], post, since),
            ]

    async def _rest_of_root(
        self,
        client: discord.Client,
        place: str,
        channel: Channel,
        root: int,
        post: Post,
        since: datetime,
    ) -> Sequence[str]:
        home, _ = channels.thread_of(client, place, channel, str(root))
        rest = layout(post, home.id)[1:]
        if not rest:
            return []
        try:
            return await find_parts(client, home, rest, since)
        except discord.NotFound:  # the thread was never made
            return []

    async def remove(self, place: str, message: str) -> None:
        """Deletes a message. Its thread stays, with people's messages, and only loses its name."""
        channel, number, _ = places.parts(message)
        async with self._connected(place) as client:
            home = channels.home_of(client, place, channel)
            try:
                act = partial(channels.remove, home, number)
                await channels.with_open_thread(client, home, act)
            except discord.Forbidden:
                await self._faces.remove(client, home, number)
            await channels.take_name(client, number)

    async def remove_files(self, place: str, thread: str, debate: str) -> None:
        """Does nothing: files are messages here and are deleted with them."""

    async def read_reactions(self, place: str, message: str) -> Sequence[Reaction]:
        async with self._connected(place) as client:
            return await reactions.read_reactions(
                await fetch(client, place, message), places.guild_id(place)
            )

    async def send_private(self, place: str, person: str, text: str) -> None:
        """Shows a line with the person's last command or press while Discord allows it, else as a
        direct message.
        """
        async with self._connected(place) as client:
            if not await self._post_private(place, person, text):
                await _send_direct(client, person, text)

    async def send_direct(self, person: str, text: str) -> None:
        async with self._connected(person) as client:
            await _send_direct(client, person, text)

    async def is_open(self, place: str) -> bool:
        async with self._connected(place) as client:
            return await presence.is_open(client, place)

    async def name_of(self, person: str) -> str:
        async with self._connected(person) as client:
            return await presence.name_of(client, person)

    async def address_of(self, ref: Ref) -> str:
        channel, message, _ = places.parts(ref.ids[0])
        return (
            f"https://discord.com/channels/{places.parse(ref.place).workspace}/{channel}/{message}"
        )

    async def require_open(self, ref: Ref) -> None:
        async with self._connected(ref.place) as client:
            channel = await channels.channel_of(client, ref.place)
            home, reply = channels.thread_of(client, ref.place, channel, ref.thread)
            channels.require(channel, scopes.THREAD_NEEDS if reply is None else scopes.FLAT_NEEDS)
            await channels.require_unlocked(client, home)

    async def is_inside(self, place: str, person: str) -> bool:
        async with self._connected(place) as client:
            return await presence.holds(client, place, person, scopes.READING)

    async def channel_name(self, place: str) -> str:
        async with self._connected(place) as client:
            name = channels.place_name(client, place)
        return name if name.startswith("#") else ""

    async def may_write(self, place: str, person: str) -> bool:
        async with self._connected(place) as client:
            return await presence.holds(client, place, person, scopes.WRITING)

    async def acknowledge(self, place: str, message: str, emoji: str) -> None:
        async with self._connected(place) as client:
            await reactions.react(client, place, message, emoji)

    @asynccontextmanager
    async def _connected(self, place: str) -> AsyncIterator[discord.Client]:
        """Returns the client; every error that it raises becomes a ``DeliveryError``."""
        client = self._client()
        if client is None or client.is_closed():
            raise DeliveryError(DeliveryFailure.RETRY, "Discord is not connected", after=2.0)
        with failures.delivering(channels.place_name(client, place)):
            async with asyncio.timeout(self._timeout):
                yield client

    async def _root(
        self,
        client: discord.Client,
        channel: Channel,
        post: Post,
        done: list[str],
        on_partial: PartialDelivery | None,
    ) -> tuple[list[str], str]:
        home: Home
        reply: int | None = None
        if isinstance(channel, discord.ForumChannel):
            channels.require(channel, scopes.FORUM_NEEDS)
            first = done[:1] or [await forum_post(channel, post)]
            home = client.get_partial_messageable(
                places.parts(first[0])[0], guild_id=channel.guild.id
            )
        else:
            threaded = isinstance(channel, discord.TextChannel)
            channels.require(channel, scopes.ROOT_NEEDS if threaded else scopes.FLAT_NEEDS)
            first = await send_parts(
                client, channel, layout(post, channel.id)[:1], done[:1], post, None
            )
            root = places.parts(first[0])[1]
            if on_partial:
                await on_partial(str(root), first)
            if isinstance(channel, discord.TextChannel):
                home = await channels.open_thread(client, channel, root, post)
            else:
                home, reply = channel, root
        thread = str(places.parts(first[0])[1])
        on_parts = partial(on_partial, thread) if on_partial else None
        return await send_parts(
            client, home, layout(post, home.id), [*first, *done[1:]], post, reply, on_parts
        ), thread


async def _send_direct(client: discord.Client, person: str, text: str) -> None:
    channel = await client.create_dm(discord.Object(places.user_id(person)))
    for part in answer_parts(text):
        await channel.send(part, suppress_embeds=True, allowed_mentions=NO_MENTIONS)
