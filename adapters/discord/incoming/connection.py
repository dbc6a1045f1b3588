"""The live connection: discord.py's client, sharded when Discord asks for it, passing people's
actions to the desk.

Components and forms are read from raw interactions instead of registered views, so the buttons of
yesterday's process still work. A session that was resumed has missed nothing; a new session may
have missed reactions, so the desk counts again.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

import discord

from adapters.discord import places, scopes
from adapters.discord.incoming.buttons import Buttons
from adapters.discord.incoming.commands import Commands
from adapters.discord.incoming.events import Events
from adapters.discord.incoming.forms import Forms
from adapters.discord.incoming.forms.views import START, read_fields
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.messages import Messages
from adapters.discord.incoming.payloads import Interaction
from adapters.discord.incoming.registration import register, tell_failure
from adapters.discord.incoming.threads import Threads
from adapters.discord.outgoing.components import pressed_id, read_press
from adapters.discord.outgoing.session import DiscordClient
from core.application.presence import DeliveryError

_log = logging.getLogger(__name__)


class Client(DiscordClient):
    """One login that hears what people do. ``content`` is True if it asks for the text of
    messages.
    """

    def __init__(self, listener: Listener, *, content: bool) -> None:
        super().__init__(listener.settings, scopes.intents(message_content=content))
        self._desk = listener.desk
        self._counting: asyncio.Task[None] | None = None
        self._count_again = False
        threads, self._forms = Threads(self), Forms(listener)
        self._buttons = Buttons(listener)
        self._messages = Messages(listener, threads)
        self._events = Events(listener, threads)
        self.tree = Commands(listener, self._forms).tree(self)
        self.tree.error(partial(tell_failure, listener))

    async def setup_hook(self) -> None:
        await register(self, self.tree)

    async def on_shard_ready(self, shard_id: int) -> None:
        """Counts reactions again after a new session, which may have missed some, once for all
        shards that come at the same time.
        """
        self._count_again = True
        if self._counting is None or self._counting.done():
            self._counting = asyncio.create_task(self._recount())

    async def _recount(self) -> None:
        while self._count_again:
            self._count_again = False
            try:
                await self._desk.recount(places.PLATFORM)
            except Exception:  # noqa: BLE001 - the connection lives on; the next session counts again
                _log.exception(
                    "reactions could not be counted again",
                    extra={"action": "discord_recount_failed"},
                )

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        error = sys.exc_info()[1]
        extra = {"action": "discord_event_failed", "event": event_method}
        if isinstance(
            error, discord.HTTPException | DeliveryError
        ):  # Discord's answer says all; its trace says nothing more
            _log.warning("%s was not dealt with: %s", event_method, error, extra=extra)
        else:
            _log.exception("%s was not dealt with", event_method, extra=extra)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self._events.removed(guild)

    async def on_interaction(self, interaction: Interaction) -> None:
        data: Mapping[str, Any] = interaction.data or {}
        if interaction.type is discord.InteractionType.component:
            await self._buttons.pressed(interaction, pressed_id(data))
        elif interaction.type is discord.InteractionType.modal_submit:
            await self._submitted(interaction, data)

    async def _submitted(self, interaction: Interaction, data: Mapping[str, Any]) -> None:
        press = read_press(str(data["custom_id"]))
        if press is None:
            await self._buttons.answer_stale(interaction)
        elif press.action == START:
            await self._forms.submitted(interaction, press, read_fields(data))
        else:
            await self._buttons.submitted(interaction, press, read_fields(data))

    async def on_message(self, message: discord.Message) -> None:
        if self.user is None:
            return
        if message.type is discord.MessageType.poll_result:
            await self._events.poll_ended(message, self.user.id)
        else:
            await self._messages.message(message, self.user.id)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        if self.user is not None:
            await self._events.reaction(payload, self.user.id, added=True)

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        if self.user is not None:
            await self._events.reaction(payload, self.user.id, added=False)
