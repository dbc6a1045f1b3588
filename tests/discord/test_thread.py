"""A debate as people see it: the starter, its thread, what is in it, and how it is edited in place."""

from __future__ import annotations

from adapters.grammar import Start
from adapters.posts import Shape
from tests.discord.conftest import Town
from tests.discord.posts import CHALLENGE, PAUSE, SEEDS, STOP, post
from tests.standins.discord_world import shown


async def test_a_command_is_taken_and_its_debate_gets_a_starter_a_thread_and_statements(town: Town) -> None:
    """The thinnest whole path: command, desk, root, thread, statement."""
    discord = town.discord
    command = await discord.command("start", {"template": "code_review", "target": "https://github.com/o/r/pull/7", "rounds": 2})
    assert await discord.answer(command) == "Taken."
    ((ask, caller),) = town.desk.asks
    assert ask == Start("code_review", "https://github.com/o/r/pull/7", rounds=2)
    assert (caller.place, caller.person, caller.name, caller.admin) == (town.place, f"discord:{discord.guild}/{discord.ada}", "ada", False)

    root = await town.debate(fields=(("State", "round 1 of 2"),), buttons=(STOP, PAUSE, CHALLENGE), seeds=SEEDS)
    said = await town.app.chat.send(
        town.place, root.thread, post("d1:4:statement", who="skeptic", title="Round 1: openings", body="It *leaks*.")
    )

    (starter,) = discord.messages(discord.general)
    (thread,) = discord.threads(discord.general)
    assert (root.thread, thread["id"], thread["name"]) == (starter["id"], starter["id"], "PR 7")
    assert shown(starter) == (
        "### PR 7\n**State** round 1 of 2\n"
        "-# Vote: ✅ approve · ❌ request changes (one vote each, the last one counts; take the reaction away to withdraw it)\n"
        "[Stop]\n[Pause]\n[Challenge]"
    )
    assert discord.texts(thread["id"]) == ["**skeptic**\n-# Round 1: openings\nIt *leaks*."]
    assert said.ids == (f"{thread['id']}/{discord.messages(thread['id'])[0]['id']}",)
    assert [emoji for emoji, _ in discord.world.reactions[discord.general, starter["id"]]] == ["✅", "❌"]


async def test_the_starter_is_edited_in_place(town: Town) -> None:
    root = await town.debate(fields=(("State", "round 1"),))
    edited = await town.app.chat.edit(root, post("d1:9:root", Shape.ROOT, title="PR 7", fields=(("State", "over"),), edits="d1:root"))
    assert edited == root
    assert town.discord.texts(town.discord.general) == ["### PR 7\n**State** over"]
