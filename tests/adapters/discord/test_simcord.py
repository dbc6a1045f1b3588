"""The same adapter on simcord, a second and independent model of Discord, for what it is faithful
to: deadlines, intents, permissions.

simcord knows no nonces and no sockets; those are in ``tests.standins.discord``. What is sent here
is checked against the same schema.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import discord
import pytest
import simcord

from adapters.discord.incoming.answers import Interactions
from adapters.discord.incoming.connection import Client
from adapters.discord.incoming.listener import Listener
from adapters.discord.outgoing.chat import DiscordChat
from adapters.discord.settings import DiscordSettings
from adapters.ports.chat import Shape
from tests.adapters.desk import RecordingDesk
from tests.adapters.discord.posts import CHALLENGE, PAUSE, post
from tests.standins.discord_rules import violations

SETTINGS = DiscordSettings(token="t", guild_wait=0.02)


@dataclass
class Sim:
    env: Any
    desk: RecordingDesk
    chat: DiscordChat
    channel: Any
    ada: Any

    @property
    def place(self) -> str:
        return f"discord:{self.env.guild.id}/{self.channel.id}"


@asynccontextmanager
async def simulated(**options: Any) -> AsyncIterator[Sim]:
    desk = RecordingDesk()
    interactions = Interactions()
    listener = Listener(SETTINGS, desk, interactions)
    client = Client(listener, content=options.pop("content", True))
    async with simcord.run(client, shard_count=1, **options) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("general")
        ada = guild.add_member(env.create_user("ada"))
        yield Sim(env, desk, DiscordChat(lambda: client, interactions.post_private), channel, ada)
        for request in env.http_requests:
            if "/interactions/" not in request.path and "/webhooks/" not in request.path:
                assert violations(request.method, request.path, request.json) == []


async def test_buttons_and_forms_work_after_a_restart() -> None:
    async with simulated() as sim:
        await sim.chat.send(
            sim.place, None, post("d1:root", Shape.ROOT, title="PR 7", buttons=(PAUSE, CHALLENGE))
        )
        message = sim.channel.history()[0]
        listener = Listener(SETTINGS, sim.desk, Interactions())
        await sim.env.restart_bot(Client(listener, content=True))
        pressed = await sim.ada.click(message, label="Pause")
        assert pressed.response.content == "Taken."
        form = await sim.ada.click(message, label="Challenge")
        sent = await sim.ada.submit_modal(form, {"text": "Prove it."})
        assert sent.response.content == "Taken."
        assert [(action, value, text) for action, value, _, text in sim.desk.presses] == [
            ("pause", "d1", ""),
            ("challenge", "d1", "Prove it."),
        ]


async def test_without_the_privileged_intent_only_mentions_are_read() -> None:
    """Refused by simcord's gateway with the intent, accepted without; then the text of others'
    messages is empty.
    """
    approved = discord.Intents.default()
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with simulated(approved_intents=approved):
            pass
    async with simulated(approved_intents=approved, content=False) as sim:
        root = await sim.chat.send(sim.place, None, post("d1:root", Shape.ROOT, title="PR 7"))
        (thread,) = sim.channel.threads
        await sim.ada.send(thread, "challenge: unread")
        await sim.ada.send(thread, f"<@{sim.env.bot.user.id}> challenge: read")
        assert [
            (caller.thread, text, mentioned) for caller, text, mentioned, _ in sim.desk.sayings
        ] == [(root.thread, "challenge: read", True)]
