"""Collects all words of Discord's messages: what they say, forward, embed and show; what has no
words is named in brackets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import discord

from adapters.discord.incoming.words import words
from adapters.discord.outgoing.channels import is_ours
from adapters.text.files import joined_thread
from core.debate.errors import BadInput
from core.languages import say

Shown = discord.Message | discord.MessageSnapshot

_MESSAGES = 1_000
_TEXTS = frozenset(
    {
        discord.MessageType.default,
        discord.MessageType.reply,
        discord.MessageType.chat_input_command,
        discord.MessageType.context_menu_command,
    }
)
_WORDLESS = "[a message without words, or hidden from me]"
_MISSING = "[the message that began this thread is gone or hidden from me, and not read]"


def whole_text(message: discord.Message, *, apart_from: Sequence[str] = ()) -> str:
    """Returns all words of a message, with names instead of ids. ``apart_from`` are the names of
    files that are read otherwise.
    """
    people = {user.id: user.display_name for user in message.mentions}
    pieces = list(_pieces(message, apart_from))
    for each in message.message_snapshots:
        pieces += ["[forwarded]", *_pieces(each, ())]
    if message.poll is not None:
        answers = ", ".join(f"{each.text} ({each.vote_count})" for each in message.poll.answers)
        pieces.append(f"[a poll] {message.poll.question}: {answers}")
    return words("\n".join(filter(None, pieces)), message.guild, people)


def _pieces(message: Shown, apart_from: Sequence[str]) -> Iterator[str]:
    yield message.content
    yield from _component_texts(message.components)
    for embed in message.embeds:
        yield from _embed_texts(embed)
    for sticker in message.stickers:
        yield f"[a sticker: {sticker.name}]"
    for file in message.attachments:
        if file.is_voice_message():
            yield f"[a voice message of {file.duration or 0:.0f} s, not heard]"
        elif file.filename not in apart_from:
            about = f": {file.description}" if file.description else ""
            yield f"[a file, not read: {file.filename}{about}]"


def _embed_texts(embed: discord.Embed) -> Iterator[str]:
    yield from (embed.author.name or "", embed.title or "", embed.url or "")
    yield embed.description or ""
    yield from (f"{each.name}: {each.value}" for each in embed.fields)
    yield embed.footer.text or ""
    if embed.image.url:
        yield f"[a picture: {embed.title or 'without a title'}]"


def _component_texts(components: Sequence[object]) -> Iterator[str]:
    """Yields the texts of what a bot lays out; controls have no words."""
    for each in components:
        if isinstance(each, discord.TextDisplay):
            yield each.content
        elif isinstance(each, discord.MediaGalleryComponent):
            for item in each.items:
                yield f"[a picture: {item.description or 'without a title'}]"
        elif isinstance(each, discord.FileComponent):
            yield f"[a file, not read: {each.name}]"
        elif isinstance(each, discord.Container | discord.SectionComponent):
            yield from _component_texts(each.children)


async def thread_text(thread: discord.Thread, me: discord.Client, *, without: int) -> str:
    """Returns the messages of people and other bots in a thread, after the message that began it: a
    paragraph each with the writer's name. Our messages and the request (``without``) are left out.
    Raises ``BadInput``.
    """
    try:
        inside = [each async for each in thread.history(limit=_MESSAGES)]
    except discord.HTTPException as error:
        raise BadInput(
            say("I cannot read this thread. Let me read its message history and ask again.")
        ) from error
    lines, empty = [], True
    for message in [*await _beginning(thread, me, inside), *reversed(inside)]:
        if isinstance(message, str):
            lines.append(message)
        elif message.type in _TEXTS and message.id != without and not is_ours(me, message):
            words_in = whole_text(message)
            empty = empty and not words_in
            lines.append(f"{message.author.display_name}: {words_in or _WORDLESS}")
    return joined_thread(lines, empty=empty, cut=len(inside) >= _MESSAGES)


async def _beginning(
    thread: discord.Thread, me: discord.Client, inside: Sequence[discord.Message]
) -> list[discord.Message | str]:
    """Returns the message of the channel on which a thread hangs, which its history lacks."""
    if any(message.id == thread.id for message in inside):
        return []  # a forum's
    try:
        return [await me.get_partial_messageable(thread.parent_id).fetch_message(thread.id)]
    except discord.NotFound:
        hangs = discord.MessageType.thread_starter_message
        return [_MISSING] if any(message.type is hangs for message in inside) else []
    except discord.HTTPException:
        return [_MISSING]
