"""Finds the parts of a post that Discord holds already, by the id of their outermost component."""

from __future__ import annotations

from datetime import datetime, timedelta

import discord

from adapters.discord import places
from adapters.discord.outgoing.channels import Home, is_ours, me_on
from adapters.discord.outgoing.layout import DiscordMessage, layout
from adapters.ports.chat import Post

_CLOCKS = timedelta(seconds=90)  # by which Discord's clock may differ from ours
_HISTORY = 400


async def find_parts(
    client: discord.Client, home: Home, parts: list[DiscordMessage], since: datetime
) -> list[str]:
    every = home.history(limit=_HISTORY, after=since - _CLOCKS)
    mine = [each async for each in every if is_ours(client, each)]
    ids: list[str] = []
    for part in parts:
        match = next((each for each in mine if _is_part(each, part)), None)
        if match is None:
            break
        ids.append(places.message(home.id, match.id, part.kind))
    return ids


async def find_forum_root(
    client: discord.Client, channel: discord.ForumChannel, post: Post, since: datetime
) -> tuple[int, int] | None:
    """Finds the forum's thread that a debate's first message opened.

    The message was made under the forum's mark; an edit gives it the thread's mark.
    """
    me = me_on(client)
    for thread in await channel.guild.active_threads():
        recent = discord.utils.snowflake_time(thread.id) > since - _CLOCKS
        mine = thread.parent_id == channel.id and thread.owner_id == me
        if recent and mine:
            starter = await thread.fetch_message(thread.id)
            if any(_is_part(starter, layout(post, where)[0]) for where in (channel.id, thread.id)):
                return thread.id, thread.id
    return None


def _is_part(message: discord.Message, part: DiscordMessage) -> bool:
    """True if Discord's ``message`` shows ``part``: a poll is known by its question and answers,
    any other message by the id of its component.
    """
    if part.answers:
        poll = message.poll
        return (
            poll is not None
            and poll.question == part.question
            and [each.text for each in poll.answers] == [text for text, _ in part.answers]
        )
    return any(getattr(component, "id", None) == part.component for component in message.components)
