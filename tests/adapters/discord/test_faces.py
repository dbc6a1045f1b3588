"""Seats speak under their own names where the server lets us keep a webhook, once each, and sign in
the text where it does not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import discord
import pytest

from adapters.discord import places
from adapters.discord.outgoing import faces as module
from adapters.ports.chat import Post
from core.application.presence import Ref
from tests.adapters.discord.conftest import Town
from tests.adapters.discord.posts import post
from tests.adapters.undelivered import undelivered
from tests.standins.discord_rest import Fault
from tests.standins.discord_world import ALL_PERMISSIONS, JSON, MANAGE_WEBHOOKS, render, until

HOOKS = r"/webhooks/\d+/hook-\d+$"


def statement_post(key: str = "d1:4:statement", who: str = "Skeptic") -> Post:
    return post(key, who=who, face="thinking_face", body="It leaks.")


async def allowed(town: Town, permissions: int = ALL_PERMISSIONS | MANAGE_WEBHOOKS) -> Ref:
    """Returns a debate in a server where the bot may keep webhooks."""
    guild = town.discord.world.guilds[town.discord.guild]
    guild["roles"][0]["permissions"] = str(permissions)
    role = {"guild_id": guild["id"], "role": guild["roles"][0]}
    await town.discord.gateway.dispatch("GUILD_ROLE_UPDATE", role, guild=guild["id"])
    client = town.app.chat._client()
    assert client is not None
    held = client.get_guild(int(guild["id"]))
    assert held is not None
    await until(lambda: held.default_role.permissions.value == permissions, what="the role")
    return await town.debate()


def thread(town: Town, root: Ref) -> Sequence[JSON]:
    return town.discord.messages(root.thread)


async def test_a_seat_speaks_under_its_own_name_where_the_server_permits_it(town: Town) -> None:
    """Elsewhere its name is in the text. Its statement can be reacted to and deleted."""
    unnamed = await town.debate("d0:root")
    await town.app.chat.send(town.place, unnamed.thread, statement_post("d0:4"))
    assert render(thread(town, unnamed)[-1]) == "**🤔 Skeptic**\nIt leaks."
    assert town.discord.world.webhooks == {}
    root = await allowed(town)
    for key in ("d1:4", "d1:5"):
        await town.app.chat.send(town.place, root.thread, statement_post(key))
    first, second = (m for m in thread(town, root) if "webhook_id" in m)
    assert (first["author"]["username"], render(first)) == ("🤔 Skeptic", "It leaks.")
    assert first["webhook_id"] == second["webhook_id"]
    [hook] = town.discord.world.webhooks.values()
    await town.restart()
    ref = await town.app.chat.send(town.place, root.thread, statement_post("d1:6"))
    assert [*town.discord.world.webhooks.values()] == [hook]
    number = str(places.parts(ref.ids[0])[1])
    await town.discord.react(root.thread, number, "👍", town.discord.bob)
    await until(lambda: town.desk.reactions, what="the reaction")
    await town.app.chat.remove(town.place, ref.ids[0])
    assert [m for m in thread(town, root) if "webhook_id" in m] == [first, second]


async def test_two_threads_that_begin_at_once_share_the_channels_webhook(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart only one of two is known, and messages of the other can't be deleted."""
    root, gate, calls = await allowed(town), asyncio.Event(), list[object]()

    async def held(client: discord.Client, channel: discord.TextChannel) -> discord.Webhook:
        calls.append(channel)
        await gate.wait()
        return await hook_in(client, channel)

    hook_in = module._hook_in
    monkeypatch.setattr(module, "_hook_in", held)
    client = town.app.chat._client()
    assert client is not None
    home = client.get_channel(int(root.thread))
    assert isinstance(home, discord.Thread)
    faces = module.Faces({})
    hooks = [asyncio.create_task(faces.hook(client, home)) for _ in range(2)]
    for _ in range(3):
        await asyncio.sleep(0)
    gate.set()
    first, second = await asyncio.gather(*hooks)
    assert first is second is not None
    assert len(calls) == len(town.discord.world.webhooks) == 1


async def test_where_the_room_has_a_public_address_a_seat_has_its_picture(town: Town) -> None:
    pictures = {"thinking_face": "https://debates.example.com/assets/face-thinking_face.1.webp"}
    town.settings = replace(town.settings, pictures=pictures)
    await town.restart()
    root = await allowed(town)
    await town.app.chat.send(town.place, root.thread, statement_post())
    (message,) = (m for m in thread(town, root) if "webhook_id" in m)
    assert message["author"]["username"] == "Skeptic", "the picture is beside it"
    assert town.discord.world.pictures[message["id"]] == pictures["thinking_face"]


async def test_what_may_have_arrived_under_a_name_is_found(town: Town) -> None:
    """A seat's message has a nonce, because the library sends it again and Discord would otherwise
    show it twice.
    """
    root, since = await allowed(town), datetime.now(UTC) - timedelta(seconds=5)
    odd = (b"[]", b"{", b"null", b'{"id":7}', b'{"id":"x"}')
    faults = ((0, None), (502, None), (502, b'{"code":"x","errors":7}'), *((200, b) for b in odd))
    for n, (status, body) in enumerate(faults):
        statement = statement_post(f"d1:{n}:statement")
        town.discord.faults.append(Fault("POST", HOOKS, status, after=True, body=body))
        failed = await undelivered(town.app.chat.send(town.place, root.thread, statement))
        assert failed.kind == "uncertain"
        ids = await town.app.chat.find(town.place, root.thread, statement, since)
        message = [m for m in thread(town, root) if "webhook_id" in m][n]
        assert [places.parts(id)[1] for id in ids] == [int(message["id"])]
        await town.app.chat.send(town.place, root.thread, statement, ids)
        assert len([m for m in thread(town, root) if "webhook_id" in m]) == n + 1


async def test_a_lost_webhook_is_made_again_and_a_refused_name_is_left_out(town: Town) -> None:
    root = await allowed(town)
    await town.app.chat.send(town.place, root.thread, statement_post())
    town.discord.world.webhooks.clear()
    for key, who, named in (("d1:5", "Skeptic", True), ("d1:6", "Discord critic", False)):
        statement = statement_post(key, who)
        failed = await undelivered(town.app.chat.send(town.place, root.thread, statement))
        assert (failed.kind, failed.after) == ("retry", 0.0)
        await town.app.chat.send(town.place, root.thread, statement)
        assert ("webhook_id" in thread(town, root)[-1]) is named
    assert len(thread(town, root)) == 3
