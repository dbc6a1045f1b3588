"""The live connection: discord.py's client, sharded when Discord asks for it, feeding what people
do to the desk.

Components and forms are read from raw interactions instead of registered views, so the buttons of
yesterday's process still work. A session that was resumed has missed nothing; a new session may
have missed reactions, so the desk is asked to count again.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import discord
import yarl
from discord import app_commands

from adapters.commands import Start
from adapters.discord import places
from adapters.discord.incoming import commands, messages, offers, payloads
from adapters.discord.incoming.listener import Listener, excused, paged
from adapters.discord.outgoing import components
from adapters.discord.outgoing.chat import answer_name, reaction_name
from adapters.discord.settings import DiscordSettings
from adapters.discord.setup import scopes
from adapters.ports.chat import DeliveryError
from adapters.ports.desk import Answer, Caller, Desk
from core.errors import DebateError

_log = logging.getLogger(__name__)
_TEXTS = frozenset({discord.MessageType.default, discord.MessageType.reply})
REMEMBERED = 4000


discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = (
    False  # voice is no concern of ours: no warning at each start
)


class Client(discord.AutoShardedClient):
    """One login. ``content`` says whether it asks for the text of messages."""

    def __init__(
        self, settings: DiscordSettings, desk: Desk, counter: Listener, *, content: bool
    ) -> None:
        super().__init__(
            intents=scopes.intents(message_content=content),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            guild_ready_timeout=settings.guild_wait,
            max_ratelimit_timeout=30.0,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
        )
        self._settings = settings
        self._desk = desk
        self._counter = counter
        self._parents: OrderedDict[int, asyncio.Task[int]] = (
            OrderedDict()
        )  # thread -> channel, for threads the library does not know
        self._counting: asyncio.Task[None] | None = None
        self._count_again = False
        self.tree = commands.build(self, counter, settings)
        self.tree.error(_command_failed)

    # -- connection

    async def setup_hook(self) -> None:
        await synchronise(self, self.tree)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        if not initial:
            await asyncio.sleep(self._settings.identify_pause)

    async def launch_shard(
        self, gateway: yarl.URL, shard_id: int, *, initial: bool = False
    ) -> None:
        """The configured gateway wins over the one that Discord names, so that a proxy is not
        bypassed.
        """
        configured = yarl.URL(self._settings.gateway_url) if self._settings.gateway_url else gateway
        await super().launch_shard(configured, shard_id, initial=initial)

    async def on_shard_ready(self, shard_id: int) -> None:
        """A new session: what was missed before it is counted again, once for all shards that come
        at the same time.
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
        await self._desk.forget_workspace(places.workspace(guild.id))

    # -- people

    async def on_interaction(self, interaction: discord.Interaction[discord.Client]) -> None:
        data: Mapping[str, Any] = interaction.data or {}
        if interaction.type is discord.InteractionType.component:
            await self._counter.pressed(interaction, str(data["custom_id"]))
        elif interaction.type is discord.InteractionType.modal_submit:
            await self._counter.submitted(interaction, str(data["custom_id"]))

    async def on_message(self, message: discord.Message) -> None:
        if message.type is discord.MessageType.poll_result:
            await self._poll_ended(message)
            return
        if (
            message.author.bot
            or message.webhook_id is not None
            or message.type not in _TEXTS
            or self.user is None
        ):
            return
        mentioned = messages.addressed(message, self.user.id)
        if not (
            mentioned
            or message.guild is None
            or isinstance(message.channel, discord.Thread | discord.PartialMessageable)
        ):
            return
        text = messages.said(message, self.user.id)
        if not (text or mentioned or message.attachments):
            return
        await self._said(message, text, mentioned=mentioned)

    async def _said(self, message: discord.Message, text: str, *, mentioned: bool) -> None:
        caller = payloads.of_message(message, self._settings)
        if message.guild is not None and isinstance(message.channel, discord.PartialMessageable):
            place, thread = await self._place_of(message.guild.id, message.channel.id)
            caller = replace(caller, place=place, thread=thread or caller.thread)
        own = places.message(message.channel.id, message.id)
        to_us = mentioned or caller.private
        try:
            start = await self._with_file(message, text, caller) if to_us else None
            answer = await (
                self._desk.take(start, caller)
                if start
                else self._desk.take_message(caller, text, mentioned, own)
            )
        except Exception as error:
            if not (to_us or isinstance(error, DebateError | DeliveryError)):
                raise
            answer = excused(error)
        if answer is not None and answer.text:
            hint = f" {offers.WORDS}" if answer.priced is not None else ""
            await self._answer(message, caller, replace(answer, text=answer.text + hint))

    async def _with_file(self, message: discord.Message, text: str, caller: Caller) -> Start | None:
        templates = [each.id for each in self._desk.templates()]
        return await messages.with_file(
            message, text, templates, self._settings.material_bytes, threaded=bool(caller.thread)
        )

    async def _answer(self, message: discord.Message, caller: Caller, answer: Answer) -> None:
        """A private answer goes to the person's direct messages; who takes none sees a warning sign
        on their message.
        """
        parts, files = paged(answer)
        try:
            for n, part in enumerate(parts, start=1):
                attached = components.uploads(files if n == len(parts) else ())
                if answer.private and not caller.private:
                    await message.author.send(part, suppress_embeds=True, files=attached)
                else:
                    await message.reply(
                        part,
                        suppress_embeds=True,
                        mention_author=False,
                        silent=True,
                        files=attached,
                    )
        except discord.Forbidden:
            await message.add_reaction("⚠️")

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        if payload.message_author_id is None or (
            self.user and payload.message_author_id == self.user.id
        ):
            await self._reacted(payload, added=True)

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        await self._reacted(payload, added=False)

    async def _reacted(self, payload: discord.RawReactionActionEvent, *, added: bool) -> None:
        if (
            self.user is None
            or payload.user_id == self.user.id
            or (payload.member is not None and payload.member.bot)
        ):
            return
        place, thread = await self._place_of(payload.guild_id, payload.channel_id)
        message = places.message(payload.channel_id, payload.message_id)
        # A reaction has no id of its own; this one is new for every event, and a replayed session
        # repeats none.
        now = discord.utils.time_snowflake(discord.utils.utcnow())
        source = f"discord:{message}:{payload.user_id}:{now}:{next(_SERIAL)}"
        name = payload.member.display_name if payload.member is not None else ""
        caller = Caller(
            str(places.person(payload.guild_id, payload.user_id)),
            place,
            source,
            name,
            thread,
            private=payload.guild_id is None,
        )
        await self._desk.take_reaction(place, message, caller, reaction_name(payload.emoji), added)

    async def _place_of(self, guild: int | None, channel: int) -> tuple[str, str]:
        """The place and thread of a channel id; an archived thread's channel is asked for once and
        remembered.
        """
        known = self.get_channel(channel)
        if guild is None or (known is not None and not isinstance(known, discord.Thread)):
            return str(places.place(guild, channel)), ""
        parent = payloads.home_of(known) if known is not None else await self._parent_of(channel)
        return str(places.place(guild, parent)), str(channel) if parent != channel else ""

    async def _parent_of(self, channel: int) -> int:
        """The channel of a thread that the library does not know; itself for anything else.

        Asked for once, however many events need it.
        """
        asked = self._parents.get(channel)
        if asked is None or (asked.done() and (asked.cancelled() or asked.exception() is not None)):
            asked = self._parents[channel] = asyncio.create_task(self._fetch_parent(channel))
            if len(self._parents) > REMEMBERED:
                self._parents.popitem(last=False)
        return await asyncio.shield(asked)

    async def _fetch_parent(self, channel: int) -> int:
        fetched = await self.fetch_channel(channel)
        return payloads.home_of(fetched) if isinstance(fetched, discord.Thread) else channel

    async def _poll_ended(self, message: discord.Message) -> None:
        """Discord closed one of our polls: its votes are handed in as if they had been
        reactions.
        """
        reference = message.reference
        if (
            reference is None
            or reference.message_id is None
            or self.user is None
            or message.author.id != self.user.id
        ):
            return
        ended = await message.channel.fetch_message(reference.message_id)
        if ended.poll is None:
            return
        guild = message.guild.id if message.guild else None
        place, thread = await self._place_of(guild, message.channel.id)
        own = places.message(message.channel.id, ended.id, places.POLL)
        for answer in ended.poll.answers:
            async for user in answer.voters():
                source = f"discord:poll:{ended.id}:{answer.id}:{user.id}"
                caller = Caller(
                    str(places.person(guild, user.id)),
                    place,
                    source,
                    user.display_name,
                    thread,
                    private=guild is None,
                )
                await self._desk.take_reaction(place, own, caller, answer_name(answer), True)


_SERIAL = iter(range(1, 1 << 62))


async def _command_failed(
    interaction: discord.Interaction[discord.Client], error: app_commands.AppCommandError
) -> None:
    """Commands and options that this version does not know: Discord shows old ones for a while
    after an update.
    """
    _log.warning(
        "a command failed: %s",
        type(error).__name__,
        extra={"action": "discord_command_failed"},
        exc_info=error,
    )
    if not interaction.response.is_done():
        text = (
            "This command has changed since Discord loaded it. Reload Discord (Ctrl+R) and "
            "try again."
        )
        if not isinstance(
            error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch
        ):
            text = "Something went wrong here, and it is not your doing. Try again in a moment."
        await interaction.response.send_message(text, ephemeral=True)


async def synchronise(client: discord.Client, tree: app_commands.CommandTree[Any]) -> bool:
    """Registers the commands if Discord has others; whether it did.

    Discord counts changes per day, so none is made in vain.
    """
    application = client.application_id
    if application is None:
        raise DeliveryError("retry", "Discord has not said which application this is")
    there = await client.http.get_global_commands(application)
    ours = [command.to_dict(tree) for command in tree.get_commands()]
    if sorted(map(normal, there), key=str) == sorted(map(normal, ours), key=str):
        return False
    await tree.sync()
    _log.info("commands registered with Discord", extra={"action": "discord_synced"})
    return True


_COMPARED = (
    "name", "type", "description", "required", "autocomplete", "min_value", "max_value",
    "min_length", "max_length", "choices", "options",
    "contexts", "integration_types", "default_member_permissions", "nsfw", "value",
)  # fmt: skip


def normal(command: Mapping[str, Any]) -> dict[str, Any]:
    """A command as far as people can tell: without ids, versions and what is absent or default."""
    kept: dict[str, Any] = {}
    for key in _COMPARED:
        value = command.get(key)
        if key in ("options", "choices"):
            value = [normal(each) for each in value or ()]
        elif key in ("contexts", "integration_types"):
            value = sorted(value or ())
        if value not in (None, False, [], ""):
            kept[key] = value
    return kept
