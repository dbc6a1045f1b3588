"""Listens for messages to the bot: mentions, replies in threads and direct messages, with their
files.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

import discord

from adapters.discord import places
from adapters.discord.incoming import answers, attachments
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.payloads import author_of, mentions, without_mention
from adapters.discord.incoming.threads import Threads
from adapters.ports.asker import explain, language_of
from adapters.text.files import is_material
from core.application.commands import Start, parse, parse_with_file
from core.application.commands.named import asks_for_thread, find_template
from core.application.desk import Caller, DeskAnswer
from core.application.presence import DeliveryError
from core.debate.errors import DebateError
from core.languages import speak

_TEXTS = frozenset({discord.MessageType.default, discord.MessageType.reply})

log = logging.getLogger(__name__)


class Messages:
    def __init__(self, listener: Listener, threads: Threads) -> None:
        self._listener = listener
        self._threads = threads

    async def message(self, message: discord.Message, me: int) -> None:
        """Takes any message that the bot can read; only mentions, replies in threads and direct
        messages can be for it.
        """
        if message.author.bot or message.webhook_id is not None or message.type not in _TEXTS:
            return
        mentioned = mentions(message, me)
        threaded = isinstance(message.channel, discord.Thread | discord.PartialMessageable)
        if not (mentioned or threaded or message.guild is None):
            return
        text = without_mention(message, me)
        if text or mentioned or message.attachments:
            with self._listener.working():
                await self._take(message, text, mentioned=mentioned)

    async def _take(self, message: discord.Message, text: str, *, mentioned: bool) -> None:
        caller = await self._caller(message)
        for_us = mentioned or caller.private
        if for_us:
            speak(await language_of(self._listener.desk, caller))
        try:
            answer = await self._ask(message, text, caller, mentioned=mentioned)
        except Exception as error:
            if not (for_us or isinstance(error, DebateError | DeliveryError)):
                raise
            answer = explain(error, log, "discord_failed")
        if answer is not None and answer.text:
            await answers.reply(message, answer)

    async def _ask(
        self, message: discord.Message, text: str, caller: Caller, *, mentioned: bool
    ) -> DeskAnswer | None:
        desk = self._listener.desk
        start = None
        if mentioned or caller.private:
            start = await self._with_material(message, text, threaded=bool(caller.thread))
        if start is not None:
            return await desk.take(start, caller)
        own = places.message(message.channel.id, message.id)
        return await desk.take_message(caller, text, mentioned, own)

    async def _caller(self, message: discord.Message) -> Caller:
        """Returns the author; a thread that the library does not know is asked for."""
        caller = author_of(message, self._listener.settings)
        if message.guild is None or not isinstance(message.channel, discord.PartialMessageable):
            return caller
        place, thread = await self._threads.place_of(message.guild.id, message.channel.id)
        return replace(caller, place=place, thread=thread or caller.thread)

    async def _with_material(
        self, message: discord.Message, text: str, *, threaded: bool
    ) -> Start | None:
        """Returns the debate that a message asks for on its attached file, or on the thread itself;
        None for any other message.

        In a thread (``threaded``) only a template's name asks for a debate; other words may be a
        challenge. Raises ``BadInput`` for a file that cannot be debated, and for an impossible
        start.
        """
        files = message.attachments
        templates = self._listener.desk.template_names()
        whole = asks_for_thread(text, templates) if threaded and message.guild else ""
        named = any(find_template(word, templates) for word in text.split()[:2])
        if not whole and (not files or (threaded and not named)):
            return None
        usable = any(is_material(each.filename, each.content_type or "") for each in files)
        if files and usable and not named:
            return await self._on_file(text, files, templates)
        line = text or "help" if files else whole
        start = await asyncio.to_thread(parse, line, templates=templates, attached=True)
        if not isinstance(start, Start):
            return None
        if not files:
            return replace(start, target="this thread", text=await self._threads.text_of(message))
        if start.target and not usable:
            return None
        return start.on_file(*await attachments.file_text(files, self._listener.settings))

    async def _on_file(
        self, text: str, files: Sequence[discord.Attachment], templates: Sequence[str]
    ) -> Start | None:
        """Returns the debate that words without a template's name ask for on a file; Discord makes
        one of a long text that is pasted.
        """
        name, whole = await attachments.file_text(files, self._listener.settings)
        start = await asyncio.to_thread(parse_with_file, text, whole, templates=templates)
        if not isinstance(start, Start):
            return None
        return start.on_file(name, whole)
