"""The tests of the connection: a broken or replaced session loses nothing and repeats nothing;
intents, shards and ``ready`` are checked as well.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adapters.discord import scopes
from adapters.discord.app import NO_CONTENT, DiscordApp, DiscordConnection, DiscordOutgoing
from adapters.discord.outgoing.session import redirect
from adapters.discord.settings import DiscordSettings
from adapters.discord.setup.diagnosis import diagnose
from adapters.ports.chat import Shape
from core.application.check import DoctorState, PartCheck
from core.application.desk import DeskAnswer
from core.debate.errors import BadInput
from tests.adapters.desk import RecordingDesk
from tests.adapters.discord.conftest import Town, settings_for, settled
from tests.adapters.discord.posts import SEEDS, post
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_rest import Fault
from tests.standins.discord_world import ALL_PERMISSIONS, REACT, THREADS, until


async def test_a_resumed_session_delivers_what_happened_once_and_a_new_one_counts_again(
    town: Town,
) -> None:
    discord = town.discord
    root = await town.debate(reaction_options=SEEDS)
    await discord.gateway.drop()
    pressed = await discord.command("status")
    await discord.react(discord.general, root.thread, "✅")
    await discord.reply(root.thread, "challenge: prove it")
    assert await discord.answer(pressed) == "Taken."
    await until(lambda: town.desk.reactions and town.desk.sayings, what="what happened meanwhile")
    await asyncio.sleep(0.03)
    assert (len(town.desk.taken), len(town.desk.reactions), len(town.desk.sayings)) == (1, 1, 1)
    assert (len(discord.gateway.identifies), len(discord.gateway.resumes)) == (1, 1)
    assert len(town.desk.recounted) == 1
    await discord.gateway.invalidate()
    await until(lambda: len(town.desk.recounted) == 2, what="a count for the new session")
    assert len(discord.gateway.identifies) == 2


async def test_without_the_message_content_intent_the_bot_starts_says_so_and_works() -> None:
    async with DiscordStandIn() as discord:
        discord.gateway.content_allowed = False
        async with settled(discord) as town:
            assert town.app.note == NO_CONTENT
            root = await town.debate()
            mention = f"<@{discord.world.bot['id']}>"
            await discord.reply(root.thread, "challenge: unread")
            await discord.reply(root.thread, f"{mention} challenge: read")
            dm = discord.world.dm(discord.ada)["id"]
            await discord.reply(dm, "status")
            await until(lambda: len(town.desk.sayings) == 2, what="a mention and a direct message")
            assert [text for _, text, _, _ in town.desk.sayings] == ["challenge: read", "status"]


async def test_sharding_follows_discord() -> None:
    async with DiscordStandIn(shards=3) as discord, settled(discord) as town:
        await discord.connected(3)
        assert [each["shard"] for each in discord.gateway.identifies] == [[0, 3], [1, 3], [2, 3]]
        assert await discord.answer(await discord.command("status")) == "Taken."
        dm = discord.world.dm(discord.ada)["id"]
        await discord.reply(dm, "status")
        await until(lambda: town.desk.sayings, what="a direct message on shard 0")
        assert town.desk.recounted


async def test_an_unreachable_discord_is_tried_again_and_a_refused_token_is_told_at_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("adapters.discord.app.FIRST_PAUSE", 0.02)
    async with DiscordStandIn() as discord:
        wrong = DiscordApp(DiscordConnection(settings_for(discord, token="wrong")), RecordingDesk())
        with pytest.raises(BadInput, match="Discord refused DISCORD_TOKEN"):
            await wrong.start()
        await wrong.stop()
        discord.faults.append(Fault("GET", "/users/@me$", 0, times=2))
        app = DiscordApp(DiscordConnection(settings_for(discord)), RecordingDesk())
        await app.start()
        try:
            assert app.ready() == "Discord cannot be reached (it broke the connection)"
            await until(lambda: app.ready() == "", what="ready")
        finally:
            await app.stop()
            redirect(DiscordSettings(token=""))


async def test_a_stop_waits_for_what_is_being_taken(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, gate, discord = asyncio.Event(), asyncio.Event(), town.discord
    take, take_message = town.desk.take, town.desk.take_message

    async def held(*given: Any) -> DeskAnswer:
        began.set()
        await gate.wait()
        return await take(*given)

    async def held_message(*given: Any) -> DeskAnswer | None:
        began.set()
        await gate.wait()
        return await take_message(*given)

    monkeypatch.setattr(town.desk, "take", held)
    monkeypatch.setattr(town.desk, "take_message", held_message)
    root = await town.debate()
    for typed in (False, True):
        began.clear()
        gate.clear()
        pressed = None
        if typed:
            await discord.reply(root.thread, "challenge: prove it")
        else:
            pressed = await discord.command("status")
        await began.wait()
        stopping = asyncio.create_task(town.app.stop())
        await asyncio.wait([stopping], timeout=0.1)
        assert not stopping.done()
        gate.set()
        await stopping
        if pressed is not None:
            assert await discord.answer(pressed) == "Taken."
        await town.restart()
    assert [text for _, text, *_ in town.desk.sayings] == ["challenge: prove it"]


async def test_an_event_that_the_library_cannot_read_does_not_end_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("adapters.discord.app.FIRST_PAUSE", 0.02)
    async with DiscordStandIn() as discord, settled(discord) as town:
        await discord.gateway.dispatch("MESSAGE_REACTION_ADD", {}, guild=discord.guild)
        await until(lambda: len(discord.gateway.identifies) == 2, what="another connection")
        await until(lambda: town.app.ready() == "", what="ready")
        assert await discord.answer(await discord.command("status")) == "Taken."


async def test_a_guild_that_removes_the_bot_is_forgotten_and_a_revoked_token_is_final(
    town: Town,
) -> None:
    """An outage of a guild does not count as a removal. The only guild is the workspace."""
    discord, guild = town.discord, town.discord.guild
    assert town.app.chat.workspace == guild
    root = await town.app.chat.send(f"discord:{discord.general}", None, post("k", title="t"))
    assert root.place == f"discord:{discord.general}"
    for kind, payload in (
        ("GUILD_DELETE", {"id": guild, "unavailable": True}),
        ("GUILD_CREATE", discord.world.guild_create(guild)),
        ("GUILD_DELETE", {"id": guild}),
    ):
        await discord.gateway.dispatch(kind, payload, guild=guild)
    await until(lambda: town.desk.gone, what="the guild is gone")
    assert town.desk.gone == [f"discord:{guild}"]
    discord.gateway.token = "another"
    await discord.gateway.invalidate()
    await until(lambda: "4004" in town.app.ready(), what="the reason")
    assert town.app.ready() == "Discord closed the connection for good (code 4004)"


async def test_reactions_and_replies_in_a_thread_that_the_library_does_not_know(town: Town) -> None:
    """An archived thread is not sent at the start: its channel is asked for once."""
    discord = town.discord
    root = await town.debate(reaction_options=SEEDS)
    discord.world.channels[root.thread]["thread_metadata"]["archived"] = True
    await town.restart()
    note = discord.world.write(root.thread, discord.world.bot, {"content": "a finding"})
    for emoji in ("✅", "❌"):
        await discord.react(root.thread, note["id"], emoji)
    await discord.reply(root.thread, "challenge: prove it")
    await until(
        lambda: len(town.desk.reactions) == 2 and town.desk.sayings, what="reactions and a reply"
    )
    assert {place for place, *_ in town.desk.reactions} == {town.place}
    assert (town.desk.sayings[0][0].place, town.desk.sayings[0][0].thread) == (
        town.place,
        root.thread,
    )
    looks = [(call.method, call.path) for call in discord.calls]
    assert looks.count(("GET", f"/channels/{root.thread}")) == 1


async def test_a_private_thread_is_a_channel_of_its_own_even_where_the_library_does_not_know_it(
    town: Town,
) -> None:
    discord = town.discord
    thread = discord.world.private_thread(discord.general, "quiet")
    place = f"discord:{discord.guild}/{thread['id']}"
    await discord.answer(await discord.command("status", channel=thread["id"]))
    for archived in (False, True):
        thread["thread_metadata"]["archived"] = archived
        await town.restart()
        root = await town.app.chat.send(
            place, None, post(f"d{archived}:root", Shape.ROOT, title="PR 7")
        )
        await discord.reply(thread["id"], f"<@{discord.world.bot['id']}> stop", to=root.thread)
        await discord.react(thread["id"], root.thread, "✅")
        await until(
            lambda n=1 + archived: len(town.desk.sayings) == len(town.desk.reactions) == n,
            what="a reply and a reaction",
        )
    assert [(caller.place, caller.thread) for _, caller in town.desk.taken] == [(place, "")]
    assert {reacted[0] for reacted in town.desk.reactions} == {place}
    roots = [
        message["id"]
        for message in discord.messages(thread["id"])
        if message["author"] is discord.world.bot
    ]
    assert [(caller.place, caller.thread) for caller, *_ in town.desk.sayings] == [
        (place, each) for each in roots
    ]


async def test_diagnose_names_what_is_missing(town: Town) -> None:
    discord = town.discord
    assert [check.state for check in await diagnose(town.settings)] == [DoctorState.OK]
    discord.world.application["flags"] = 0
    discord.world.guilds[discord.guild]["roles"][0]["permissions"] = str(
        ALL_PERMISSIONS & ~(REACT | THREADS)
    )
    content, permissions = await diagnose(town.settings)
    assert content == PartCheck(
        "",
        DoctorState.CARE,
        "the message-content intent is off",
        "Switch it on under Bot in the developer portal, or challenge by the button and by "
        "mentions.",
    )
    assert permissions.what == "in guild the bot lacks Create Public Threads, Add Reactions"
    assert await diagnose(settings_for(discord, token="wrong")) == [
        PartCheck(
            "",
            DoctorState.BROKEN,
            "DISCORD_TOKEN is refused",
            "Copy the bot's token again (`debate docs discord`, step 3).",
        )
    ]
    discord.world.guilds.clear()
    (check,) = await diagnose(settings_for(discord, message_content=False))
    assert (check.what, check.state) == ("the bot is in no server", DoctorState.BROKEN)
    assert check.next.startswith("Open https://discord.com/oauth2/authorize?client_id=")


async def test_a_recount_that_fails_costs_nothing_but_itself_and_no_log_holds_the_token(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(platform: str) -> None:
        raise RuntimeError(platform)

    caplog.set_level("DEBUG")
    town.desk.recount = fail  # type: ignore[method-assign]  # a database that is away
    await town.restart()
    await town.debate()
    assert await town.discord.answer(await town.discord.command("status")) == "Taken."
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "reactions could not be counted again"
    ]
    assert town.discord.token not in caplog.text
    assert town.discord.token not in repr(town.settings)


async def test_two_replicas_answer_an_interaction_once(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    """Both are connected with one token and get every event: one acknowledges, the other steps back
    without a word.
    """
    other = DiscordApp(DiscordConnection(town.settings), town.desk)
    await other.start()
    try:
        await until(lambda: other.ready() == "", what="the other is ready")
        command = await town.discord.command("status")
        assert await town.discord.answer(command) == "Taken."
        await asyncio.sleep(0.03)
        assert (len(town.desk.taken), len(command.followups)) == (1, 0)
        assert [
            record for record in caplog.records if record.levelname in ("WARNING", "ERROR")
        ] == []
    finally:
        await other.stop()


async def test_a_process_that_takes_nothing_in_speaks_all_the_same() -> None:
    """A second login only posts; people's actions reach the login that listens, and no other."""
    async with DiscordStandIn() as discord, settled(discord) as town:
        connection = DiscordConnection(town.settings)
        outgoing = DiscordOutgoing(connection)
        registered = len([call for call in discord.rest.calls if call.method == "PUT"])
        await outgoing.start()
        try:
            await until(lambda: outgoing.ready() == "", what="the second login is ready")
            ref = await connection.chat.send(town.place, None, post("d1:root", Shape.ROOT))
            assert await connection.chat.is_open(town.place)
            await town.app.chat.add_reactions(ref, post("d1:root", Shape.ROOT))
            pressed = await discord.command("status")
            await discord.react(discord.general, ref.thread, "✅")
            assert await discord.answer(pressed) == "Taken."
            await until(lambda: town.desk.reactions, what="the reaction")
            assert (len(town.desk.taken), len(town.desk.reactions)) == (1, 1)
        finally:
            await outgoing.stop()
        intents = [frame["intents"] for frame in discord.gateway.identifies]
        assert intents[1:] == [scopes.servers_only().value]
        assert len([call for call in discord.rest.calls if call.method == "PUT"]) - registered == 0
