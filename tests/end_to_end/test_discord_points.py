"""The points of a review of a Discord bot that no other file holds."""

from __future__ import annotations

from tests.end_to_end.discord_city import QUESTION, City, read
from tests.standins.discord_world import render, until


async def test_a_redelivery_starts_nothing_twice_and_the_verdict_s_buttons_start_again(
    town: City,
) -> None:
    """A command that Discord sends again, to this bot and to its next process, names the debate
    that it started. The transcript, another run and a fork are a press away.
    """
    discord = town.discord
    command = await discord.command("start", {**QUESTION, "vote_window": "0s"})
    id = read(await discord.answer(command)).split("`")[1]
    await town.settled(id)
    for restarted in (False, True):
        if restarted:
            await town.restart()
        command.acknowledged, command.original, command.born = None, None, discord.world.offset
        command.followups.clear()
        await discord.gateway.dispatch("INTERACTION_CREATE", command.payload, guild=discord.guild)
        assert f"`{id}`" in await discord.answer(command)
    await town.wait_for_posts()
    assert len(await town.parts.stores.debates.find_recent()) == 1
    assert len(discord.messages(discord.general)) == 1
    assert discord.world.syncs == 1  # the commands have not changed

    root = await town.root(id)
    verdict = next(m for m in discord.messages(root["id"]) if "Transcript · " in render(m))
    press = await discord.press(root["id"], verdict, "Transcript", user=discord.bob)
    await discord.answer(press)
    assert f"debate-{id}.md" in [
        f["filename"] for m in [press.original, *press.followups] if m for f in m["attachments"]
    ]
    again = (await town.pressed(verdict, "Re-run", discord.bob)).split("`")[1]
    await town.reaches(again, "waiting", "finished")
    reply = await town.pressed(root, "Fork", discord.bob, "it runs on Windows")
    forked = reply.split("`")[1]
    await town.reaches(forked, "waiting", "finished")
    assert len({id, again, forked}) == 3


async def test_a_message_and_an_attached_diff_are_debated(town: City) -> None:
    discord = town.discord
    town.time.let(0)
    diff = town.github.pulls["o/r", 412].diff
    there = await discord.reply(
        discord.general, "What of this?", discord.bob, files={"change.diff": diff}
    )
    menu = await discord.context_menu("Debate this", discord.general, there["id"], user=discord.bob)
    reply = read(
        await discord.answer(
            await discord.submit_modal(menu, {"Template": "code_review"}, user=discord.bob)
        )
    )
    debate = await town.reaches(reply.split("`")[1], lambda d: d.opened)
    assert [c.path for c in debate.open.material.coverage] == ["starlette/staticfiles.py"]
    assert debate.request.asker == f"discord:{discord.guild}/{discord.bob}"


async def test_answers_of_every_reading_command_are_private(town: City) -> None:
    """A person's look-ups are shown to them alone, and an empty channel says how to begin."""
    for name in ("status", "list", "templates", "help", "leaderboard", "schedule list"):
        command = await town.discord.command(name)
        reply = await town.discord.answer(command)
        assert command.ephemeral, name
        assert reply.strip(), name
        assert command.original is not None
        assert command.original["attachments"] == []  # JSON is for those who ask for it
    assert "Start one: @Debatebot code_review" in read(await town.ask("list"))
    reply = await town.ask("help", topic="mirror")
    assert reply.startswith(
        "Type `/debate` and choose a command: its words are options there. Or mention me and "
        "write a line."
    )
    assert "\n@Debatebot mirror ID PLACE\n" in reply
    assert town.discord.messages(town.discord.general) == []
    assert "no debate 'zzz'" in await town.ask("show", debate="zzz")
    dm = town.discord.world.dm(town.discord.ada)["id"]
    await town.discord.reply(dm, "list --json")
    (answer,) = await until(lambda: town.discord.messages(dm)[1:], what="an answer")
    assert [attachment["filename"] for attachment in answer["attachments"]] == ["debates.json"]
