"""The form that starts a debate: from the command without a target, from a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import discord

from adapters.discord import places
from adapters.discord.incoming import attachments
from adapters.discord.incoming.forms.views import read_start, start_form
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.payloads import Interaction
from adapters.discord.incoming.whole import whole_text
from adapters.discord.incoming.words import words
from adapters.discord.outgoing.components import Press
from adapters.discord.outgoing.markup import escape, label
from adapters.text.files import is_material
from core.application.commands import Start
from core.application.desk import Caller, DeskAnswer
from core.application.presence import DeliveryError
from core.debate.errors import DebateError
from core.languages import say_error, speaking


class Forms:
    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    async def new(self, interaction: Interaction, make: Callable[[], Start]) -> None:
        """Opens a form for a long text; wrong options are reported at once, before anyone writes a
        text for nothing.
        """
        with speaking(await self._listener.language(interaction)):
            try:
                form = start_form(self._listener.desk.templates(), make())
            except (DebateError, DeliveryError) as error:
                await interaction.response.send_message(
                    label(escape(say_error(error)), 2000), ephemeral=True, suppress_embeds=True
                )
                return
            await interaction.response.send_modal(form)

    async def on_message(self, interaction: Interaction, message: discord.Message) -> None:
        """Opens the form for "Debate this" on a message: the form holds its text, its attached
        files follow when the form is sent.
        """
        files = [
            each.filename
            for each in message.attachments
            if is_material(each.filename, each.content_type or "")
        ]
        own = places.message(message.channel.id, message.id) if files else ""
        templates = self._listener.desk.templates()
        template = next((each.id for each in templates), "")
        start = Start(template, whole_text(message, apart_from=files))
        with speaking(await self._listener.language(interaction)):
            await interaction.response.send_modal(start_form(templates, start, own))

    async def submitted(
        self, interaction: Interaction, press: Press, fields: Mapping[str, str]
    ) -> None:
        async def ask(caller: Caller) -> DeskAnswer:
            start, message = read_start(press, fields)
            start = replace(start, target=words(start.target, interaction.guild))
            if message:
                start = await self._with_material(interaction, start, message)
            return await self._listener.desk.take(start, caller)

        await self._listener.answer(interaction, ask)

    async def _with_material(self, interaction: Interaction, start: Start, message: str) -> Start:
        """Adds the file of the chosen message to the request, whose own text stays. Raises
        ``BadInput``.
        """
        chosen = await attachments.chosen_message(interaction.client, message)
        name, text = await attachments.file_text(chosen.attachments, self._listener.settings)
        return start.on_file(name, text)
