"""Whole debates on Discord: what is asked by command, button, reaction and reply, and what a reader
of the channel sees of it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from core.words.outcome import outcome
from tests.end_to_end.discord_city import BRIEF, SEATS, City, city, page, read
from tests.end_to_end.played import LINK
from tests.end_to_end.recorded import REVIEWS
from tests.end_to_end.world import CRITICS
from tests.standins.discord_world import JSON, MANAGE_THREADS, render, until
from tests.standins.github import GitHubStandIn

GOLDEN = {name: Path(__file__).with_name(f"discord_{name}_review.txt") for name in REVIEWS}
"""The threads of the debates below, word for word. A wanted change is taken over with ``python -m
tests.end_to_end.discord_golden``.
"""
YES, NO, TALK, WORSE = "✅", "❌", "💬", "⏫"


def verdict(town: City, root: JSON) -> JSON:
    return next(
        m for m in town.discord.messages(root["id"]) if "the report is attached" in render(m)
    )


async def reviewed(town: City, **options: Any) -> tuple[str, str]:
    """Returns the id of a debate that ran from its command to the end of its vote, and the whole
    text that a reader sees: the channel, then the thread. It takes longer than the token of an
    interaction lives, and needs none.
    """
    id, root = await town.opening(**options)
    town.advance(3600)
    before = len(town.discord.calls)
    town.time.let()
    await town.settled(id, "waiting")
    town.advance(601)
    await town.settled(id)
    needed = {call.path.split("/")[1] for call in town.discord.calls[before:]}
    assert not needed & {"webhooks", "interactions"}
    thread = town.discord.world.channels[root["id"]]
    seen = (
        f"{page(town.discord, town.discord.general)}\n\n==== "
        f"{thread['name']}\n\n{page(town.discord, thread['id'])}\n"
    )
    return id, seen.replace(id, "ID")


@pytest.mark.parametrize("name", REVIEWS)
async def test_a_whole_review_word_for_word(
    tmp_path: Path, github: GitHubStandIn, name: str
) -> None:
    github.load_case("py-static-prefix")
    async with city(tmp_path, github, models=REVIEWS[name].models) as town:
        await _word_for_word(town, name)


async def _word_for_word(town: City, name: str) -> None:
    id, seen = await reviewed(town, **REVIEWS[name].options)
    assert seen == GOLDEN[name].read_text("utf-8")
    (thread,) = town.discord.threads(town.discord.general)
    (transcript,) = town.discord.messages(thread["id"])[-1]["attachments"]
    assert transcript["filename"] == f"debate-{id}.md"
    assert "# Code Review Summary\n" in town.discord.world.uploads[transcript["id"]][1].decode()


async def test_a_debate_is_announced_voted_on_and_counted(town: City) -> None:
    """The starter is acknowledged at once and its post edited in place. Votes count by reaction on
    findings, the starter and the verdict, the last one of a person. Those made and taken back while
    the bot was away count on its return, and none after the vote is over.
    """
    discord = town.discord
    carl, dora, eve = map(discord.person, ("carl", "dora", "eve"))
    id, root = await _acknowledged(town)
    await discord.react(root["channel_id"], root["id"], YES, carl)
    town.time.let(SEATS)
    await _reacted_to_finding(town, root, carl, dora)
    town.time.let()
    await town.settled(id, "waiting")
    assert "No decision, votes still count" in render(root)
    assert "[Re-run]\n[Fork]\n[Export]" in render(root)
    assert len(discord.messages(root["channel_id"])) == 1
    end = verdict(town, root)
    for user, emoji in ((discord.ada, YES), (discord.ada, NO), (discord.bob, NO), (eve, TALK)):
        await discord.react(root["id"], end["id"], emoji, user)
    for _ in range(2):  # the same event once more, as after a resumed session
        await discord.rest.announce_reaction("ADD", root["id"], end["id"], discord.bob, NO)
    assert "Your vote" in await town.ask("vote", dora, option="comment", debate=id)
    votes = {discord.ada: "request_changes", discord.bob: "request_changes", dora: "comment"}
    await town.votes(id, votes | {carl: "approve", eve: "comment"})

    await town.stop()
    reactions = discord.world.reactions
    reactions[root["channel_id"], root["id"]].remove((YES, carl))
    reactions[root["id"], end["id"]].remove((TALK, eve))
    discord.world.react(root["channel_id"], root["id"], eve, YES)
    await town.start()
    await town.votes(id, votes | {eve: "approve"})
    town.advance(601)
    document = outcome(await town.reaches(id, "finished"))
    assert document["votes"]["people"] == {"approve": 1, "comment": 1, "request_changes": 2}
    assert document["findings"][0]["people"] == {"real": 1, "not_real": 1, "worse": 1, "milder": 0}
    await town.wait_for_posts()
    text = "**People** ✅ approve ▇ 1 · 💬 comment ▇ 1 · ❌ request changes ▇▇ 2"
    assert text in render(verdict(town, root))
    before = (await town.parts.service.load(id)).count
    await discord.react(root["id"], end["id"], YES, dora)  # the vote is over
    assert "The vote is closed." in await town.ask("vote", option="approve", debate=id)
    assert (await town.parts.service.load(id)).count == before


async def _acknowledged(town: City) -> tuple[str, JSON]:
    """Starts a debate whose seats say nothing yet; returns its id and its starter."""
    town.time.let(0)
    command = await town.discord.command(
        "start", {"template": "code_review", "target": LINK, **BRIEF}
    )
    reply = read(await town.discord.answer(command))
    assert command.acknowledged is not None
    assert command.ephemeral
    id = reply.split("`")[1]
    assert reply == f"Debate `{id}` is starting: code review on {LINK}. It will post here."
    root = await town.root(id)
    await until(lambda: "Round 1 of 2: Positions" in render(root), what="round 1")
    assert "[Stop]\n[Pause]\n[Challenge]" in render(root)
    await until(
        lambda: town.discord.threads(root["channel_id"])[0]["name"].startswith("o/r#412 "),
        what="the thread's title",
    )
    return id, root


async def _reacted_to_finding(town: City, root: JSON, carl: str, dora: str) -> None:
    """Four people react to the first finding, and one to a statement, which means nothing."""
    discord = town.discord
    post = await until(
        lambda: next((m for m in discord.messages(root["id"]) if "[Not real]" in render(m)), None),
        what="a finding",
    )
    await town.wait_for_posts()
    for user, emoji in (
        (discord.ada, YES),
        (discord.bob, NO),
        (carl, NO),
        (carl, WORSE),
        (dora, YES),
        (dora, "🎉"),
    ):
        await discord.react(root["id"], post["id"], emoji, user)
    await discord.unreact(root["id"], post["id"], YES, dora)
    statement = next(m for m in discord.messages(root["id"]) if "Round 1" in render(m))
    await discord.react(root["id"], statement["id"], NO, dora)


async def test_challenges_by_reply_mention_and_form_are_answered_and_receipted(town: City) -> None:
    discord, (id, root) = town.discord, await town.opening()
    thread = root["id"]
    town.time.let(CRITICS)
    await until(lambda: "[Not real]" in page(discord, thread), what="the first round")
    plain = await discord.reply(thread, "Nice weather.", discord.bob)
    first = await discord.reply(
        thread, "challenge: Did anybody try a path with a dot in it?", discord.bob
    )
    second = await discord.reply(
        thread, f"<@{discord.world.bot['id']}> And on Windows?", discord.ada
    )
    for author in ("robot", "hook"):
        other = discord.world.person(author, bot=True)
        discord.world.member(discord.guild, other["id"])
        await discord.reply(thread, "challenge: by a bot", other["id"])
    edited = discord.world.message(thread, plain["id"]) | {"content": "challenge: edited"}
    await discord.rest.announce("MESSAGE_UPDATE", edited)
    reply = await town.pressed(root, "Challenge", discord.bob, "Who calls it?")
    assert reply.startswith("Taken. ")
    too_long = await discord.command(
        "challenge", {"text": "x" * 2001, "debate": id}, user=discord.bob
    )
    await until(lambda: "xxxx" in too_long.text(), what="what was typed, which is not lost")
    assert too_long.text().startswith("A challenge may have 2000 characters; this one has 2001.")
    town.time.let()
    debate = await town.settled(id, "waiting")
    assert sorted((c.author.rpartition("/")[2], c.text) for c in debate.challenges) == [
        (discord.ada, "And on Windows?"),
        (discord.bob, "Did anybody try a path with a dot in it?"),
        (discord.bob, "Who calls it?"),
    ]
    texts = discord.texts(thread)
    for challenge in debate.challenges:
        who = f"<@{challenge.author.rpartition('/')[2]}> challenges the "
        assert any(who in text and challenge.text in text for text in texts)
        assert any(f"Answer to “{challenge.text}”" in text for text in texts)
    for taken, eyes in ((first, 1), (second, 1), (plain, 0)):
        assert (
            discord.world.reactions.get((thread, taken["id"]), [])
            == [("👀", discord.world.bot["id"])] * eyes
        )


async def test_a_person_holds_a_seat_and_answers_with_the_button(town: City) -> None:
    bob = town.discord.bob
    id = await town.started(target=f"{LINK} --seats opponent=person:<@{bob}>", **BRIEF)
    thread = (await town.root(id))["id"]
    post = await until(
        lambda: next((m for m in town.discord.messages(thread) if "[Answer]" in render(m)), None),
        what="the seat's holder is asked",
    )
    assert f"<@{bob}>, it is your turn as the opponent" in render(post)
    reply = await town.pressed(post, "Answer", bob, "approve 90%: the router cleans the path")
    assert reply.startswith("Taken"), reply
    await until(lambda: "the router cleans the path" in page(town.discord, thread), what="its post")
    assert "approve, 90% sure" in page(town.discord, thread)
    await town.wait_for_posts()
    text = page(town.discord, thread) + render(await town.root(id))
    assert "bob (opponent)" in text
    assert bob not in text.replace(f"<@{bob}>", ""), "people are shown by their names"


async def test_pause_resume_and_stop_are_for_the_starter_and_admins(town: City) -> None:
    """The buttons work after a restart, and old ones get an answer."""
    discord, (id, root) = town.discord, await town.opening(**BRIEF)
    boss = discord.person("boss", permissions=MANAGE_THREADS)
    await town.restart()
    for label in ("Pause", "Stop"):
        assert (
            await town.pressed(root, label, discord.bob)
            == f"Only the person who started it, or an admin, may {label.lower()} this debate."
        )
    assert (await town.parts.service.load(id)).status == "running"
    assert await town.pressed(root, "Pause", discord.ada) == f"Debate `{id}`: pausing."
    await town.reaches(id, "paused")
    await until(
        lambda: f"advance:{id}" not in {task.get_name() for task in asyncio.all_tasks()},
        what="no task while paused",
    )
    await town.wait_for_posts()
    assert "[Resume]" in render(root)
    assert f"Paused by <@{discord.ada}>" in page(discord, root["id"])
    old = await discord.press(root["channel_id"], root, "v0:stop:whatever", user=discord.ada)
    assert "earlier version" in await discord.answer(old)
    assert await town.ask("resume", boss, debate=id) == f"Debate `{id}`: going on."
    await town.settled(id, "running")
    question = await town.pressed(root, "Stop", discord.ada, sure=False)
    assert question.startswith("Stop: are you sure?")
    assert (await town.parts.service.load(id)).stop is None
    assert (
        await town.pressed(root, "Stop", discord.ada)
        == f"Debate `{id}`: stopping; the closing report still comes."
    )
    await town.ordered_to_stop(id)
    assert (await town.ask("stop", boss, debate=id)).startswith(f"Debate `{id}`")
    town.time.let()
    debate = await town.reaches(id, "waiting", "stopped")
    spoken = len(debate.finished)
    assert spoken <= 1  # the closing turn only
    await town.wait_for_posts()
    assert f"Stopped by <@{discord.ada}>" in page(discord, root["id"])
    assert any("the report is attached" in t for t in discord.texts(root["id"]))
    late = await discord.press(root["channel_id"], root, f"d1||pause|{id}", user=discord.ada)
    assert read(await discord.answer(late)) == "The debate is over; there is nothing to pause."
