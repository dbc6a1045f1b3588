"""Buttons of our messages, the confirmations and one-line forms that some of them open, and the
button that agrees to a price.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import discord

from adapters.discord.incoming import offers
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.payloads import Interaction, source
from adapters.discord.outgoing import components
from adapters.discord.outgoing.components import Press
from adapters.discord.outgoing.markup import escape
from core.application.desk import Caller, DeskAnswer
from core.application.offers import AGREE
from core.languages import msgid, say, speaking
from core.words.views.course.invitations import title

_STALE = msgid(
    "This button belongs to an earlier version of the bot and does nothing any more. "
    "`/debate status` shows what is running."
)


class Buttons:
    """Listens for presses of buttons. A button's id holds all that is needed, so buttons from
    before a restart work too.
    """

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    async def pressed(self, interaction: Interaction, custom_id: str) -> None:
        press = components.read_press(custom_id)
        if press is None:
            await self.answer_stale(interaction)
        elif press.form or press.confirms:
            with speaking(await self._listener.language(interaction)):
                await _ask_first(interaction, press, _label(interaction, custom_id))
        elif press.action == AGREE:
            await self._listener.answer(
                interaction, lambda caller: self._start(interaction, press, caller)
            )
        else:
            await self._press(interaction, press)

    async def submitted(
        self, interaction: Interaction, press: Press, fields: Mapping[str, str]
    ) -> None:
        """Takes the filled-in form of a button."""
        await self._press(interaction, press, fields.get("text", "").strip())

    async def answer_stale(self, interaction: Interaction) -> None:
        with speaking(await self._listener.language(interaction)):
            await interaction.response.send_message(say(_STALE), ephemeral=True)

    async def _press(self, interaction: Interaction, press: Press, text: str = "") -> None:
        async def ask(caller: Caller) -> DeskAnswer:
            return await self._listener.desk.press(press.action, press.value, caller, text)

        await self._listener.answer(interaction, ask)

    async def _start(self, interaction: Interaction, press: Press, caller: Caller) -> DeskAnswer:
        """Starts the priced request behind the pressed button, under the command that asked for
        it.
        """
        files = interaction.message.attachments if interaction.message is not None else ()
        request = await offers.read_request(files, self._listener.settings)
        asker = replace(caller, source=source(int(press.value)))
        return await self._listener.desk.take(request, asker)


async def _ask_first(interaction: Interaction, press: Press, label: str) -> None:
    """Asks for the text of a button, or whether the person is sure."""
    action = title(press.action, label or press.action.capitalize())
    if press.form:
        await interaction.response.send_modal(components.form(press, action))
        return
    await interaction.response.send_message(
        say("{action}: are you sure?", action=escape(action)),
        view=components.confirmation(press, action),
        ephemeral=True,
        suppress_embeds=True,
    )


def _label(interaction: Interaction, custom_id: str) -> str:
    message = interaction.message
    labels = dict(_labels(message.components if message else ()))
    return labels.get(custom_id, "")


def _labels(items: Sequence[object]) -> Iterator[tuple[str, str]]:
    """Yields every button and menu choice, as the id that it sends and its label."""
    for item in items:
        if isinstance(item, discord.Button):
            yield item.custom_id or "", item.label or ""
        elif isinstance(item, discord.SelectMenu):
            yield from ((option.value, option.label) for option in item.options)
        yield from _labels(getattr(item, "children", ()))
