"""What all listeners of Discord share: the desk, and interactions that are answered within
Discord's three seconds.

Each is acknowledged before anything else, so a slow database never shows "the application did not
respond"; the answer follows when it is there. Answers are private unless the desk says otherwise.
An error is one sentence with its next step, never a trace.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import discord
from cachetools import LRUCache

from adapters.discord.incoming import answers, offers
from adapters.discord.incoming.payloads import caller_of
from adapters.discord.outgoing import failures
from adapters.discord.outgoing.layout import plain_parts
from adapters.discord.settings import DiscordSettings
from adapters.ports.desk import Answer, Caller, Desk
from adapters.ports.failures import explain

TOKEN_LIFE = 840.0  # seconds an interaction can be answered, with a minute to spare
_REMEMBERED = 500
Interaction = discord.Interaction[discord.Client]

log = logging.getLogger(__name__)


class Listener:
    """Discord's side of the desk: takes interactions to it and brings its answers back."""

    def __init__(self, settings: DiscordSettings, desk: Desk) -> None:
        self.settings = settings
        self.desk = desk
        self._latest: LRUCache[tuple[str, str], Interaction] = LRUCache(_REMEMBERED)

    async def answer(
        self, interaction: Interaction, ask: Callable[[Caller], Awaitable[Answer]]
    ) -> None:
        """Acknowledges, asks, and shows what the desk says, or what went wrong."""
        if not await self._acknowledge(interaction):
            return
        caller = caller_of(interaction, self.settings)
        self._latest[caller.place, caller.person] = interaction
        try:
            answer = await ask(caller)
        except Exception as error:  # noqa: BLE001 - a person waits: whatever it was, they are told, and the log has the rest
            answer = explain(error, log, "discord_failed")
        await answers.show(interaction, offers.with_button(answer, interaction.id))

    async def post_private(self, place: str, person: str, text: str) -> bool:
        """Shows a line beside the person's last interaction in ``place``; False when there is none
        that Discord still honours.
        """
        interaction = self._latest.get((place, person))
        if interaction is None:
            return False
        age = discord.utils.utcnow() - interaction.created_at
        if age.total_seconds() > TOKEN_LIFE:
            return False
        try:
            for part in plain_parts(text):
                await interaction.followup.send(part, ephemeral=True, suppress_embeds=True)
        except discord.HTTPException as error:
            if error.code not in failures.TOKEN_OVER:
                raise
            return False
        return True

    async def _acknowledge(self, interaction: Interaction) -> bool:
        """False when Discord has given the interaction up already, or another replica of the bot
        has it.
        """
        try:
            await interaction.response.defer(ephemeral=True, thinking=True)
        except discord.HTTPException as error:
            if error.code not in (failures.UNKNOWN_INTERACTION, failures.ACKNOWLEDGED):
                raise
            log.info(
                "an interaction is not ours to answer: %s",
                error.text,
                extra={"action": "discord_not_ours"},
            )
            return False
        return True
