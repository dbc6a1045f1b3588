"""The places of debates on Discord: schedules of a channel, private repositories, guilds that never
mix, direct messages, polls, mirrors.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from core.words.outcome import outcome
from tests.end_to_end.discord_city import BRIEF, QUESTION, City, city, page, read
from tests.end_to_end.played import LINK, stored
from tests.end_to_end.world import comes
from tests.standins.discord_world import (
    ALL_PERMISSIONS,
    MANAGE_GUILD,
    MANAGE_THREADS,
    SEND,
    render,
    until,
)
from tests.standins.github import GitHubStandIn
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack import render as shown_in_slack

TITLE = "staticfiles: use commonprefix for the containment check"
POLL = """id = "adopt"
name = "Adopt"
description = "Shall we?"
material = "question"
poll = true
ballot = [{ option = "yes", emoji = "white_check_mark" }, { option = "no", emoji = "x" }]

[[roles]]
name = "pro"

[[roles]]
name = "contra"

[[roles]]
name = "closer"

[[phases]]
name = "talk"
roles_active = ["pro", "contra"]

[[phases]]
name = "end"
roles_active = ["closer"]
"""


# -- private material


async def test_a_private_repository_is_seen_only_where_an_admin_bound_it_and_named_nowhere_else(
    town: City,
) -> None:
    discord = town.discord
    town.github.pulls["o/r", 412].private = True
    keeper = discord.person("keeper", permissions=MANAGE_THREADS)
    boss = discord.person("boss", permissions=MANAGE_GUILD)
    other = discord.world.channel(discord.guild, "other")["id"]
    await town.restart()
    command = await discord.command("start", {"template": "code_review", "target": LINK})
    blind = re.findall(r"Debate `(\w+)` is starting", await discord.answer(command))[0]
    assert "o/r" in (await town.reaches(blind, "failed")).failure
    await town.wait_for_posts()
    assert discord.messages(discord.general) == discord.threads(discord.general) == []
    lines = [read(render(m)) for m in command.followups if "could not start" in render(m)]
    assert len(lines) == 1
    assert command.ephemeral
    assert lines[0].endswith("When that is fixed, ask again with `/debate`.")
    assert TITLE not in lines[0]
    assert TITLE.encode() not in stored(town.folder)
    assert "Only an admin" in await town.ask("setup", discord.bob, repository="o/r")
    assert "Only an admin" in await town.ask("setup", keeper, repository="o/r")
    assert "can now debate" in await town.ask("setup", boss, repository="o/r")
    id = await town.started(**BRIEF)
    await town.settled(id, "waiting")
    assert TITLE in page(discord, discord.general)
    assert TITLE in await town.ask("list")
    for elsewhere in (
        await town.ask("list", channel=other),
        await town.ask("status", channel=other),
        await town.ask("show", channel=other, debate=id),
        await town.ask("export", channel=other, debate=id),
        await town.ask("mirror", debate=id, place=f"discord:{other}"),
        json.dumps(await discord.autocomplete("show", "debate", "", channel=other)),
    ):
        assert TITLE not in elsewhere
        assert "commonprefix" not in elsewhere
    assert "about private material" in await town.ask("show", channel=other, debate=id)
    assert "stays in its place" in await town.ask("mirror", debate=id, place=f"discord:{other}")


# -- guilds


async def test_two_guilds_never_mix_and_one_that_leaves_takes_its_schedules_and_bindings(
    town: City,
) -> None:
    discord = town.discord
    guild = discord.world.guild("elsewhere")["id"]
    lobby = discord.world.channel(guild, "lobby")["id"]
    boss = discord.person("boss", permissions=MANAGE_THREADS)
    discord.world.guilds[guild]["roles"][0]["permissions"] = str(ALL_PERMISSIONS | MANAGE_THREADS)
    discord.world.member(guild, boss)
    discord.world.member(guild, discord.ada)
    await town.restart()
    here, there = [await town.started(channel=each, **QUESTION) for each in ("", lobby)]
    for id in (here, there):
        await town.settled(id, "waiting")
    assert there not in await town.ask("list")
    assert here not in await town.ask("list", channel=lobby)
    offered = json.dumps(await discord.autocomplete("show", "debate", "", channel=lobby))
    assert there in offered
    assert here not in offered
    for name, more in (
        ("stop", {}),
        ("show", {}),
        ("vote", {"option": "for"}),
        ("challenge", {"text": "why?"}),
        ("fork", {}),
    ):
        reply = await town.ask(
            name, boss, lobby, debate=here, **more
        )  # an admin there is nobody here
        line = f"There is no debate '{here}' here: `@Debatebot list` shows those there are."
        assert reply.startswith(line)
    assert (await town.parts.service.load(here)).status == "waiting"
    assert "never to a stranger's" in await town.ask(
        "mirror", debate=here, place=f"discord:{guild}/{lobby}"
    )
    for channel in (discord.general, lobby):
        await town.ask(
            "schedule add",
            channel=channel,
            when="0 9 * * *",
            template="code_review",
            target="github:o/r",
        )
    await town.ask("setup", boss, repository="o/r")
    assert len(await town.parts.stores.schedules.find_all()) == 2
    await discord.gateway.dispatch("GUILD_DELETE", {"id": discord.guild}, guild=discord.guild)

    async def left() -> bool:
        return len(await town.parts.stores.schedules.find_all()) == 1

    await comes(left)
    assert [s.place for s in await town.parts.stores.schedules.find_all()] == [
        f"discord:{guild}/{lobby}"
    ]
    assert (
        await town.parts.stores.places.repositories(f"discord:{discord.guild}/{discord.general}")
        == []
    )


async def test_one_account_is_one_person_in_the_guild_elsewhere_and_in_direct_messages(
    town: City,
) -> None:
    discord = town.discord
    dm = discord.world.dm(discord.ada)["id"]
    guild = discord.world.guild("elsewhere")["id"]
    lobby = discord.world.channel(guild, "lobby")["id"]
    discord.world.member(guild, discord.ada)
    await town.restart()
    id, root = await town.opening(**QUESTION)
    await discord.react(root["channel_id"], root["id"], "✅", discord.ada)
    await town.votes(id, {discord.ada: "for"})
    option = "for_with_conditions"
    assert "Your vote" in await town.ask("vote", channel=lobby, debate=id, option=option)
    await town.votes(id, {discord.ada: option})
    assert "Your vote" in await town.ask("vote", channel=dm, debate=id, option="against")
    await town.votes(id, {discord.ada: "against"})
    other = discord.world.dm(discord.bob)["id"]
    reply = await town.ask(
        "vote", discord.bob, other, debate=id, option="for"
    )  # nobody knows there that bob belongs to the guild
    assert reply == f"There is no debate '{id}' here: `@Debatebot list` shows those there are."
    assert await town.ask("pause", channel=dm, debate=id) == f"Debate `{id}`: pausing."
    debate = await town.reaches(id, "paused")
    assert {voter for _, voter in debate.votes} == {f"discord:{discord.guild}/{discord.ada}"}


async def test_a_debate_is_told_in_another_channel_only_where_its_starter_may_write(
    town: City,
) -> None:
    discord = town.discord
    news, open_to_all = (
        discord.world.channel(discord.guild, name)["id"] for name in ("news", "open")
    )
    everyone = {"id": discord.guild, "type": 0, "allow": "0", "deny": str(SEND)}
    us = {"id": discord.world.bot["id"], "type": 1, "allow": str(SEND), "deny": "0"}
    discord.world.channels[news]["permission_overwrites"] = [everyone, us]
    await town.restart()
    id = await town.started(vote_window="0s", **QUESTION)
    await town.settled(id)
    assert await discord.autocomplete("mirror", "place", "#") == [
        {"name": "#general", "value": f"discord:{discord.guild}/{discord.general}"},
        {"name": "#open", "value": f"discord:{discord.guild}/{open_to_all}"},
    ]
    reply = await town.ask("mirror", debate=id, place=f"<#{news}>")
    assert (
        reply
        == f"As far as I can see, you may not write in discord:{news}, so no debate of yours is "
        "posted there. Join it, and invite me there too. DEBATE_SAME_PERSON lists the names of one "
        "person."
    )
    assert "will appear in" in await town.ask("mirror", debate=id, place=f"<#{open_to_all}>")
    root = await town.root(id, open_to_all)
    await town.wait_for_posts()
    assert page(discord, root["id"]) == page(discord, (await town.root(id))["id"])
    assert discord.messages(news) == []


# -- direct messages


async def test_in_a_direct_message_no_mention_is_needed_and_the_debate_is_a_chain_of_replies(
    town: City,
) -> None:
    discord = town.discord
    dm = discord.world.dm(discord.ada)["id"]
    town.time.let(0)
    await discord.reply(dm, f"code_review {LINK} --format panel --rounds 1 --vote-window 0s")
    await until(lambda: town.time.waiting, what="the seats are asked")
    await town.wait_for_posts()
    answer, root = [m for m in discord.messages(dm) if m["author"] is discord.world.bot]
    id = render(answer).split("`")[1]
    assert "is starting" in render(answer)
    assert f"debate {id}" in render(root)
    await discord.reply(dm, "challenge: And on Windows?", to=root["id"])
    await town.challenged(id, 1)
    town.time.let()
    debate = await town.settled(id)
    assert [c.text for c in debate.challenges] == ["And on Windows?"]
    below = [
        m
        for m in discord.messages(dm)
        if m["author"] is discord.world.bot and m["id"] not in (answer["id"], root["id"])
    ]
    assert {str(m["message_reference"]["message_id"]) for m in below} == {root["id"]}
    assert "the report is attached" in render(below[-2])


async def test_what_is_asked_in_a_private_thread_stays_in_it(town: City) -> None:
    discord = town.discord
    thread = discord.world.private_thread(discord.general, "quiet")["id"]
    everyone = {
        "id": discord.guild,
        "type": 0,
        "allow": "0",
        "deny": str(SEND),
    }  # which has no effect inside threads
    discord.world.channels[discord.general]["permission_overwrites"] = [everyone]
    await town.restart()
    id = await town.started(channel=thread, vote_window="0s", **QUESTION)
    await town.settled(id)
    assert discord.messages(discord.general) == []
    root, *below = discord.messages(thread)
    assert id in render(root)
    assert {str(message["message_reference"]["message_id"]) for message in below} == {root["id"]}
    assert "the report is attached" in render(below[-1]) + render(below[-2])
    assert f"`{id}`" in await town.ask("list", channel=thread)
    assert id not in await town.ask("list")


# -- polls


async def test_a_native_poll_where_the_template_asks_for_one_is_read_and_ended_with_the_vote(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    (tmp_path / "adopt.toml").write_text(POLL)
    async with city(tmp_path, github, DEBATE_TEMPLATES_DIR=str(tmp_path)) as town:
        discord = town.discord
        id = await town.started(template="adopt", target="Shall we adopt it?")
        await town.settled(id, "waiting")
        root = await town.root(id)
        (poll,) = (m for m in discord.messages(root["id"]) if m.get("poll"))
        assert render(poll) == "Your vote on this verdict\n(yes)\n(no)"
        discord.poll_vote(poll["id"], 1, discord.ada)
        discord.poll_vote(poll["id"], 2, discord.bob)
        discord.poll_vote(poll["id"], 2, discord.person("carl"))
        town.advance(601)
        document = outcome(await town.reaches(id, "finished"))
        await town.wait_for_posts()
        assert document["votes"]["people"] == {"yes": 1, "no": 2}
        assert poll["poll"]["results"]["is_finalized"]


# -- the same debate on two platforms


async def test_one_debate_in_discord_and_slack_counts_votes_and_challenges_once_per_person(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    github.load_case("py-static-prefix")
    async with SlackStandIn() as slack, city(tmp_path, github, started=False) as town:
        discord = town.discord
        town.env |= {
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_APP_TOKEN": APP_TOKEN,
            "SLACK_API_URL": slack.url,
            "DEBATE_SAME_PERSON": f"discord:{discord.guild}/{discord.ada}=slack:T1/U1",
        }
        await town.start()
        town.time.let(0)
        id = await town.started(**BRIEF)
        await until(lambda: town.time.waiting, what="the seats are asked")
        root = await town.root(id)
        assert "will appear in #c1 (slack:T1/C1) as well" in await town.ask(
            "mirror", debate=id, place="slack:C1"
        )
        (mirror,) = await slack.until(
            lambda: [m for m in slack.messages() if id in shown_in_slack(m)]
        )
        await discord.react(root["channel_id"], root["id"], "✅", discord.ada)
        await town.votes(id, {"U1": "approve"})
        await slack.react(mirror["ts"], "x", user="U1")  # the same person, the later word
        await slack.react(mirror["ts"], "x", user="U2")
        await town.votes(id, {"U1": "request_changes", "U2": "request_changes"})
        await discord.reply(root["id"], "challenge: from Discord", discord.bob)
        await slack.reply(mirror["ts"], "challenge: from Slack", user="U2")
        await town.challenged(id, 2)
        town.time.let()
        document = outcome(await town.reaches(id, "waiting"))
        await town.wait_for_posts()
        assert document["votes"]["people"] == {"approve": 0, "comment": 0, "request_changes": 2}
        there = "\n".join(shown_in_slack(m) for m in slack.thread(mirror["ts"]))
        here = page(discord, root["id"])
        for text in (
            "from Discord",
            "from Slack",
            "Round 1 of 2: Positions",
            "report is attached",
        ):
            assert text in there
            assert text in here
        assert f"{discord.bob} challenges" not in there, "people keep their names"
        assert "bob challenges" in there.lower()
        assert "U2 challenges" not in here
        assert "u2 challenges" in here
        await town.parts.desk.history.keeper.keep()
        for typed, expected in (
            ("list", id),
            ("search commonprefix", id),
            (f"show {id[:4]}", TITLE),
        ):
            answered = len(slack.responses)
            await slack.slash(typed, user="U2")
            await slack.until(lambda: slack.responses[answered:])  # noqa: B023  awaited here
            text = "\n".join(map(shown_in_slack, slack.responses[answered:]))
            assert expected in text, (typed, text)
        await slack.open_home(user="U2")
        await slack.until(lambda: any(id in str(home) for home in slack.called("views.publish")))
