"""The traces of a forgotten debate on platforms are deleted on request: by the platforms' own
calls, resumed after a death in the middle, and a platform's refusal is named.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.forges.writing import REMOVED
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from bot.posting.deliver import Poster
from bot.wire.parts import Parts, open_parts
from core.application.desk import ChatFile
from tests.adapters.discord.conftest import Town as DiscordTown
from tests.adapters.discord.conftest import settled
from tests.adapters.discord.posts import post
from tests.bot.crashing import settings_for
from tests.bot.forges.gitlab_town import project
from tests.bot.forges.test_loop import AT
from tests.bot.forges.town import NUMBER, REPO, Clock, town
from tests.patience import PATIENCE
from tests.standins.discord import DiscordStandIn
from tests.standins.slack import BOT_TOKEN, Fault, SlackStandIn
from tests.standins.slack_world import BOT
from tests.trust.test_retention import had

ANN, HERE = "slack:T1/U1", "slack:T1/C1"


@asynccontextmanager
async def in_slack(folder: Path) -> AsyncIterator[tuple[SlackStandIn, Parts, Clock]]:
    """Returns a bot whose chat is the stand-in of Slack, and which posts when it is told to."""
    clock = Clock()
    async with SlackStandIn() as slack:
        workspaces = Workspaces(
            SlackSettings(bot_token=BOT_TOKEN, api_url=slack.url, timeout=PATIENCE, pace=0.0)
        )
        await workspaces.open()
        settings = settings_for(f"sqlite:///{folder}/debate.db", folder)
        chats = {"slack": SlackChat(workspaces, pace=0.0)}
        async with open_parts(settings, shell=False, chats=chats, clock=clock) as parts:
            yield slack, parts, clock
        await workspaces.close()
        assert slack.complaints == []


async def posted(parts: Parts, question: str, slack: SlackStandIn) -> str:
    """Returns a debate that is over and stands in the channel."""
    id = await had(parts, question, ANN, HERE)
    poster = Poster(parts.stores.outbox, parts.desk.permissions.chats, "poster", paces={})
    await poster.deliver_all()
    return id


def ours(slack: SlackStandIn, channel: str = "C1") -> list[str]:
    """Returns texts and files of ours that stand in a channel and its threads."""
    messages = slack.world.channel(channel).messages.values()
    return [str(m["text"] or m.get("files")) for m in messages if m.get("bot_id") == BOT]


async def forget(parts: Parts, id: str) -> None:
    """Forgets the debate as the shell does with ``--copies``."""
    held = await parts.retention.find_copies([id])
    assert held.removable
    await parts.retention.delete(await parts.service.load(id), "somebody asked for it")
    await parts.retention.delete_copies([id], held, "somebody asked for it")


async def left(parts: Parts, id: str) -> list[str]:
    return (await parts.retention.find_copies([id])).lines


async def test_messages_and_files_go_from_slack_whoever_dies_in_between(tmp_path: Path) -> None:
    async with in_slack(tmp_path) as (slack, parts, clock):
        id = await posted(parts, "Do we need a kumquat?", slack)
        other = await posted(parts, "Something else?", slack)
        root = next(iter(slack.world.channel("C1").messages))
        slack.world.say("C1", "U1", "What a person says.", thread=root)
        before = len(ours(slack))
        assert any(f"debate-{id}.md" in text for text in ours(slack))
        await forget(parts, id)
        assert await left(parts, id) == [
            f"Messages in {HERE}: {before // 2 - 1}. The bot deletes it while it runs."
        ]
        slack.faults.append(Fault("chat.delete", "slow", after=1, seconds=PATIENCE))
        dying = asyncio.create_task(parts.worker.do_due())
        await slack.until(lambda: [c.method for c in slack.calls].count("chat.delete") == 2)
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
        living = replace(parts.worker, owner="the next one")
        assert await living.do_due() == 0, "the claim of whoever died still holds"
        clock.go(minutes=3)
        slack.faults.append(Fault("chat.delete", "drop_after"))
        assert await living.do_due() == 1
        clock.go(minutes=3)
        assert await living.do_due() == 1
        assert await left(parts, id) == []
        assert [text for text in ours(slack) if id in text or "kumquat" in text] == []
        assert len(ours(slack)) == before // 2, "those of the other debate stay"
        assert await left(parts, other) != []
        (message,) = [m for m in slack.thread(root) if m.get("bot_id") != BOT]
        assert message["text"] == "What a person says."


async def test_what_slack_refuses_is_named_and_tried_again_when_asked_again(
    tmp_path: Path,
) -> None:
    async with in_slack(tmp_path) as (slack, parts, _):
        id = await posted(parts, "Do we need it?", slack)
        slack.faults.append(Fault("chat.delete", "cant_delete_message"))
        await forget(parts, id)
        assert await parts.worker.do_due() == 1
        text = f"Messages in {HERE}: 1. This workspace does not let me delete this message."
        assert await left(parts, id) == [text]
        await parts.retention.removals.add([id])
        assert await parts.worker.do_due() == 1
        assert (await left(parts, id), ours(slack)) == ([], [])


@pytest.fixture
async def discord_town() -> AsyncIterator[DiscordTown]:
    async with DiscordStandIn() as discord, settled(discord) as made:
        yield made


async def test_messages_go_from_discord_and_their_thread_loses_its_name(
    discord_town: DiscordTown,
) -> None:
    chat, discord = discord_town.app.chat, discord_town.discord
    root = await discord_town.debate()
    notes = (ChatFile("debate-d1.md", "# all"),)
    sent = await chat.send(
        discord_town.place, root.thread, post("d1:4:statement", body="It leaks.", files=notes)
    )
    assert len(discord.messages(root.thread)) == 2
    discord.world.channels[root.thread]["thread_metadata"]["archived"] = True
    for _ in range(2):  # what is gone already is as good
        for id in (*sent.ids, *root.ids):
            await chat.remove(discord_town.place, id)
    assert discord.messages(root.thread) == discord.messages(discord.general) == []
    assert discord.world.channels[root.thread]["name"] == "A debate that was deleted"


async def test_a_review_goes_from_github_and_what_stays_is_named(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        debate = await t.review()
        await t.approve()
        written = t.github.written
        (comment,) = written.comments[AT]
        person = written.answer_in_thread(AT, comment.id, "ann", "What a person says.")
        await forget(t.bot, debate.id)
        written.undeletable.add(comment.id)
        while await t.remove():
            pass
        link = f"https://github.com/{REPO}/pull/{NUMBER}"
        (line,) = [line for line in await left(t.bot, debate.id) if link in line]
        assert "GitHub refused: Resource not accessible by personal access token" in line
        assert comment in written.comments[AT]
        written.undeletable.clear()
        await t.bot.retention.removals.add([debate.id])
        while await t.remove():
            pass
        assert written.comments[AT] == [person]
        assert [review.body for review in written.reviews[AT]] == [REMOVED]
        (line,) = [line for line in await left(t.bot, debate.id) if link in line]
        assert "GitHub deletes no review; its text is replaced." in line
        assert "deletes no status of a commit" in line


async def test_notes_and_discussions_go_from_gitlab_though_an_answer_is_lost(
    tmp_path: Path,
) -> None:
    async with project(tmp_path) as t:
        await t.bind()
        await t.label("debate")
        debate = await t.settle()
        await t.approve()
        assert len(t.gitlab.discussions) == 2
        t.gitlab.talk("What a person says.")
        await forget(t.bot, debate.id)
        t.gitlab.lose("DELETE", "/notes/")
        t.gitlab.refuse("DELETE", "/notes/", 502, times=1)
        while await t.remove():
            pass
        assert len(t.gitlab.discussions) > 1
        t.clock.go(minutes=5)
        while await t.remove():
            t.clock.go(minutes=5)
        assert t.gitlab.notes == ["What a person says."]
        assert "GitLab deletes no status of a commit" in "".join(await left(t.bot, debate.id))
