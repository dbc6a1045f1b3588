"""The base of all Discord listeners: the desk, and interactions that are answered within Discord's
three seconds.

Each is acknowledged before anything else, so a slow database never shows "the application did not
respond"; the answer follows when it is there. Answers are private unless the desk says otherwise.
An error is one sentence with its next step, never a trace.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import discord

from adapters.discord.incoming import answers, offers
from adapters.discord.incoming.answers import Interactions
from adapters.discord.incoming.payloads import Interaction, caller_of
from adapters.discord.outgoing import failures
from adapters.discord.settings import DiscordSettings
from adapters.ports.asker import explain, language_of
from core.application.desk import Caller, Desk, DeskAnswer
from core.languages import speaking

log = logging.getLogger(__name__)


class Listener:
    """Discord's side of the desk: takes interactions to it and brings its answers back."""

    def __init__(self, settings: DiscordSettings, desk: Desk, interactions: Interactions) -> None:
        self.settings = settings
        self.desk = desk
        self._interactions = interactions
        self._working: set[asyncio.Task[Any]] = set()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Marks the running task as one that takes a person's request, for which ``stop`` waits."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  the library runs every listener as one
        self._working.add(task)
        try:
            yield
        finally:
            self._working.discard(task)

    async def stop(self, seconds: float = 5.0) -> None:
        """Waits for running listeners to finish, while their answers can still be shown."""
        if self._working:
            await asyncio.wait(self._working, timeout=seconds)

    async def answer(
        self, interaction: Interaction, ask: Callable[[Caller], Awaitable[DeskAnswer]]
    ) -> None:
        """Acknowledges the interaction, asks the desk, and shows its answer or the error."""
        if not await self._acknowledge(interaction):
            return
        caller = caller_of(interaction, self.settings)
        self._interactions.remember(caller.place, caller.person, interaction)
        with self.working(), speaking(await language_of(self.desk, caller)):
            try:
                answer = await ask(caller)
            except Exception as error:  # noqa: BLE001 - a person waits: whatever it was, they are told, and the log has the rest
                answer = explain(error, log, "discord_failed")
            await answers.show(interaction, offers.with_button(answer, interaction.id))

    async def language(self, interaction: Interaction) -> str:
        """Returns the language of what the person behind an interaction is shown."""
        return await language_of(self.desk, caller_of(interaction, self.settings))

    async def _acknowledge(self, interaction: Interaction) -> bool:
        """Returns False when Discord has given the interaction up already, or another replica of
        the bot has it.
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
