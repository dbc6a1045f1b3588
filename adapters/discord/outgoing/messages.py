"""Single messages: sent with their nonce, rewritten in place, a poll ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import discord

from adapters.discord import places
from adapters.discord.outgoing import channels, components
from adapters.discord.outgoing.channels import NO_MENTIONS, Home
from adapters.discord.outgoing.failures import OLD_MESSAGE
from adapters.discord.outgoing.files import uploads
from adapters.discord.outgoing.layout import DiscordMessage, layout, thread_name
from adapters.ports.chat import Post, Shape
from core.application.presence import DeliveryError, DeliveryFailure

_LOUD = frozenset({Shape.ROOT, Shape.VERDICT})
_OLD_MESSAGE_EDITED, _HOUR = 30046, 3600.0
Speak = Callable[[DiscordMessage], Awaitable[int]]
"""Sends one part and gives the id of its message."""
PartsListener = Callable[[Sequence[str]], Awaitable[None]]


async def send_parts(
    client: discord.Client,
    home: Home,
    parts: list[DiscordMessage],
    done: list[str],
    post: Post,
    reply: int | None,
    on_parts: PartsListener | None = None,
    speak: Speak | None = None,
) -> list[str]:
    """Sends the parts after ``done``, one after the other, and returns the ids of all. ``on_parts``
    is called before the next one is sent. ``speak`` sends what a seat says under its name.
    """
    ids = done[: len(parts)]
    for part in parts[len(ids) :]:
        if ids and on_parts:
            await on_parts(ids)
        own: Speak = partial(_deliver, home, post, reply)
        number = await channels.with_open_thread(client, home, partial(speak or own, part))
        ids.append(places.message(home.id, number, part.kind))
    return ids


def text_parts(post: Post, beside: str) -> list[DiscordMessage]:
    """Returns the text messages of a post in the channel of the message ``beside``."""
    return [part for part in layout(post, places.parts(beside)[0]) if not part.kind]


async def _edit(message: discord.PartialMessage, part: DiscordMessage) -> None:
    """Edits one message. Discord may refuse that for an hour for an old message that was edited
    often, which the library takes for a limit without a time.
    """
    later = DeliveryError(DeliveryFailure.RETRY, OLD_MESSAGE, after=_HOUR)
    try:
        await message.edit(view=components.view(part), allowed_mentions=NO_MENTIONS)
    except KeyError as error:
        if error.args != ("retry_after",):
            raise
        raise later from error
    except discord.HTTPException as error:
        if error.code != _OLD_MESSAGE_EDITED:
            raise
        raise later from error


async def rewrite(client: discord.Client, place: str, known: str, part: DiscordMessage) -> None:
    channel, number, _ = places.parts(known)
    home = channels.home_of(client, place, channel)
    message = home.get_partial_message(number)
    await channels.with_open_thread(client, home, lambda: _edit(message, part))


async def forum_post(channel: discord.ForumChannel, post: Post) -> str:
    """Opens a post of a forum; Discord gives it and its first message one id. There are no nonces
    here, only ``find``.
    """
    made = await channel.create_thread(
        name=thread_name(post), auto_archive_duration=channels.ARCHIVE_AFTER,
        view=components.view(layout(post, channel.id)[0]),
        suppress_embeds=True, allowed_mentions=NO_MENTIONS,
    )  # fmt: skip
    return places.message(made.thread.id, made.message.id)


async def end_poll(client: discord.Client, place: str, extra: str) -> None:
    """Ends a native poll that still runs; any other companion message is left alone."""
    if places.parts(extra)[2] != places.POLL:
        return
    message = await fetch(client, place, extra)
    if message.poll is not None and not message.poll.is_finalised():
        await message.end_poll()


async def fetch(client: discord.Client, place: str, message: str) -> discord.Message:
    channel, number, _ = places.parts(message)
    return await channels.home_of(client, place, channel).fetch_message(number)


async def _deliver(home: Home, post: Post, reply: int | None, part: DiscordMessage) -> int:
    """Sends one message with the nonce of its part; it is quiet unless it is a root or a
    verdict.
    """
    beside: dict[str, Any] = {}
    if reply is not None:
        beside["reference"] = discord.MessageReference(
            message_id=reply, channel_id=home.id, fail_if_not_exists=False
        )
        beside["mention_author"] = False
    if part.answers:
        poll = components.poll(part, int(post.facts.get("poll_hours", "24")))
        content: dict[str, Any] = {"poll": poll}
    else:
        content = {"view": components.view(part), "files": uploads(part.files)}
        content["suppress_embeds"] = True
    sent = await home.send(
        **content,
        **beside,
        nonce=part.nonce,
        silent=post.shape not in _LOUD,
        allowed_mentions=NO_MENTIONS,
    )
    return sent.id
