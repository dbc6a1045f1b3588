"""Ten debates at once under Discord's faults: slow channels, refusals, broken sessions.

Nothing is doubled, lost or held up.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from tests.end_to_end.discord_child import untold
from tests.end_to_end.discord_city import BRIEF, QUESTION, City
from tests.standins.discord_rest import Fault
from tests.standins.discord_world import SEND, THREAD_SEND, VIEW, until


@pytest.mark.faults
async def test_ten_debates_in_three_channels_and_one_channel_is_told_to_wait(town: City) -> None:
    discord = town.discord
    channels = [
        discord.general,
        *(discord.world.channel(discord.guild, name)["id"] for name in ("busy", "quiet")),
    ]
    await town.restart()  # a new session knows the new channels
    busy = channels[1]
    discord.faults.append(Fault("POST", rf"/channels/{busy}/messages$", 429, retry_after=60.0))
    first = await town.started(channel=busy, rounds=1, vote_window="0s")
    await until(lambda: discord.posts(busy), what="the refusal")
    rest = [n for n in range(10) if n != 1]
    debates = await asyncio.gather(
        *(town.started(channel=channels[n % 3], rounds=1, vote_window="0s") for n in rest)
    )
    elsewhere = [id for n, id in zip(rest, debates, strict=True) if n % 3 != 1]
    debates.append(first)
    assert len(set(debates)) == 10
    for id in debates:
        await town.reaches(id, "finished")
    for id in elsewhere:
        await town.wait_for_posts(id)
    assert [call.status for call in discord.posts(busy)] == [429]
    assert discord.threads(busy) == []
    town.advance(61)
    await town.wait_for_posts()
    for id in debates:
        assert await untold(discord, town.parts.stores.database, id) == []
    assert sum(call.status == 429 for call in discord.calls) == 1


async def test_errors_after_the_effect_cut_connections_and_new_sessions_double_and_lose_nothing(
    town: City, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _: 0.01)
    discord = town.discord
    posts = r"/channels/\d+/messages$"
    faults = (
        Fault("POST", posts, 502, after=True),
        Fault("POST", posts, 0, after=True, times=2),
        Fault("POST", r"/messages/\d+/threads$", 0, after=True),
        Fault("PATCH", r"/messages/\d+$", 0, times=2),
        Fault("PUT", r"/reactions/", 0, after=True, times=2),
    )
    discord.faults.extend(faults)
    town.time.let(0)
    id = await town.started(vote_window="0s", **BRIEF)
    await until(lambda: town.time.waiting, what="the seats are asked")
    await town.wait_for_posts(id, hurry=1)
    root = await town.root(id)
    await discord.gateway.drop()  # resumed
    await discord.reply(root["id"], "challenge: while the session was cut", discord.bob)
    await until(lambda: discord.gateway.resumes, what="RESUME")
    await town.challenged(id, 1)
    sessions = len(discord.gateway.identifies)
    await discord.gateway.invalidate()  # a new session
    await until(
        lambda: len(discord.gateway.identifies) > sessions and town.app.ready() == "",
        what="a new session",
    )
    await discord.reply(root["id"], "challenge: in the new session", discord.bob)
    await town.challenged(id, 2)
    town.time.let()
    await town.reaches(id, "finished")
    await town.wait_for_posts(id, hurry=1)
    assert await untold(discord, town.parts.stores.database, id) == []
    assert [fault.times for fault in faults] == [0] * 5


async def test_a_thread_that_was_archived_is_opened_and_a_deleted_one_is_no_storm(
    town: City,
) -> None:
    discord = town.discord
    id, root = await town.opening(vote_window="0s", **BRIEF)
    thread = discord.world.channels[root["id"]]
    thread["thread_metadata"]["archived"] = True
    town.time.let(1)
    await until(lambda: discord.messages(root["id"]), what="the first statement")
    await town.wait_for_posts()
    assert not thread["thread_metadata"]["archived"]
    del discord.world.channels[root["id"]]
    del discord.world.messages[root["id"]]
    before = len(discord.calls)
    town.time.let()
    debate = await town.settled(id)
    assert debate.concluded is not None
    refused = [
        call for call in discord.calls[before:] if call.path.startswith(f"/channels/{root['id']}")
    ]
    assert 0 < len(refused) <= 15
    starter = discord.texts(discord.general)[0]
    assert "No decision" in starter  # the starter still tells


@dataclass(frozen=True)
class Lack:
    """What the bot's role holds, and the permissions that it is told to ask for."""

    held: int
    missing: str


NOTHING = Lack(VIEW, "Send Messages, Create Public Threads, Send Messages in Threads")
NO_THREADS = Lack(VIEW | SEND | THREAD_SEND, "Create Public Threads")


async def unreadable(town: City, lack: Lack) -> str:
    """Starts a debate that the bot can't post, beside a schedule; returns its id."""
    discord = town.discord
    role = discord.world.guilds[discord.guild]["roles"][0]
    reply = await town.ask(
        "schedule add", when="every monday 09:00", template="code_review", target="github:o/r"
    )
    schedule, granted = reply.split("`")[1], role["permissions"]
    role["permissions"] = str(lack.held)
    await town.restart()
    command = await discord.command("start", {**QUESTION, "vote_window": "0s"})
    await discord.answer(command)
    id = command.text().split("`")[1]
    await until(
        lambda: f"When that is fixed: /debate resume {id}" in command.text(), what="the sentence"
    )
    assert (
        f"Debate {id} is paused and costs nothing more, for I can't post it: my role lacks "
        f"{lack.missing} in #general" in command.text()
    )
    assert not (await town.reaches(id, "paused")).finished
    await town.wait_for_posts()
    assert discord.messages(discord.general) == []
    assert len(command.followups) <= 2  # the debate's and the schedule's
    schedule_row = await town.parts.stores.schedules.get(schedule)
    assert schedule_row is not None
    assert not schedule_row.enabled
    assert "paused" in await town.ask("schedule list")
    role["permissions"] = granted
    return id


async def test_missing_permissions_are_one_sentence_to_the_starter_and_rest_the_schedules(
    town: City,
) -> None:
    """A debate that nobody can read spends nothing; once the permission is there and it is resumed,
    all of it is told.
    """
    discord = town.discord
    town.time.let(0)
    await unreadable(town, NOTHING)
    id = await unreadable(town, NO_THREADS)
    await town.restart()
    town.time.let()
    assert await town.ask("resume", debate=id) == f"Debate `{id}`: going on."
    await town.reaches(id, "finished")
    await town.wait_for_posts(id, hurry=1)
    assert await untold(discord, town.parts.stores.database, id) == []
    assert len(discord.messages(discord.general)) == 1
