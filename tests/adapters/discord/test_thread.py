"""A debate as people see it: the starter, its thread, what is in it, and how it is edited in
place.
"""

from __future__ import annotations

from datetime import UTC, datetime

from adapters.ports.chat import Shape
from core.application.commands import Start
from core.application.desk import ChatFile
from tests.adapters.discord.conftest import Town
from tests.adapters.discord.posts import CHALLENGE, PAUSE, SEEDS, STOP, post
from tests.standins.discord_world import FORUM, VOICE, render


async def test_a_command_is_taken_and_its_debate_gets_a_starter_a_thread_and_statements(
    town: Town,
) -> None:
    """The thinnest whole path: command, desk, root, thread, statement."""
    discord = town.discord
    command = await discord.command(
        "start", {"template": "code_review", "target": "https://github.com/o/r/pull/7", "rounds": 2}
    )
    assert await discord.answer(command) == "Taken."
    ((ask, caller),) = town.desk.taken
    assert ask == Start("code_review", "https://github.com/o/r/pull/7", rounds=2)
    assert (caller.place, caller.person, caller.name, caller.admin) == (
        town.place,
        f"discord:{discord.guild}/{discord.ada}",
        "ada",
        False,
    )

    root = await town.debate(
        fields=(("State", "round 1 of 2"),),
        buttons=(STOP, PAUSE, CHALLENGE),
        reaction_options=SEEDS,
    )
    ref = await town.app.chat.send(
        town.place,
        root.thread,
        post("d1:4:statement", who="skeptic", title="Round 1: openings", body="It *leaks*."),
    )

    (starter,) = discord.messages(discord.general)
    (thread,) = discord.threads(discord.general)
    assert (root.thread, thread["id"], thread["name"]) == (starter["id"], starter["id"], "PR 7")
    assert render(starter) == ("### PR 7\n**State** round 1 of 2\n[Stop]\n[Pause]\n[Challenge]")
    assert discord.texts(thread["id"]) == ["**skeptic**\n-# Round 1: openings\nIt *leaks*."]
    assert ref.ids == (f"{thread['id']}/{discord.messages(thread['id'])[0]['id']}",)
    assert [emoji for emoji, _ in discord.world.reactions[discord.general, starter["id"]]] == [
        "✅",
        "❌",
    ]


async def test_the_starter_is_edited_in_place(town: Town) -> None:
    root = await town.debate(fields=(("State", "round 1"),))
    edited = await town.app.chat.edit(
        root,
        post("d1:9:root", Shape.ROOT, title="PR 7", fields=(("State", "over"),), edits="d1:root"),
    )
    assert edited == root
    assert town.discord.texts(town.discord.general) == ["### PR 7\n**State** over"]


async def test_a_verdict_carries_its_transcript_and_keeps_it_through_edits(town: Town) -> None:
    """The text grows to more messages and shrinks again; the file stays the message it was."""
    discord = town.discord
    root = await town.debate()
    verdict = post(
        "d1:verdict",
        Shape.VERDICT,
        title="VERDICT: APPROVE",
        body="Short.",
        files=(ChatFile("debate-d1.md", "# All of it"),),
        reaction_options=SEEDS,
    )
    ref = await town.seeded(root.thread, verdict)
    text, file = discord.messages(root.thread)
    assert render(file) == "-# VERDICT: APPROVE\n<debate-d1.md>"
    assert discord.world.uploads[file["attachments"][0]["id"]] == ("debate-d1.md", b"# All of it")
    assert [emoji for emoji, _ in discord.world.reactions[root.thread, text["id"]]] == ["✅", "❌"]

    edited = post(
        "d1:20:verdict",
        Shape.VERDICT,
        title="VERDICT: REJECT",
        body="word " * 1500,
        edits="d1:verdict",
        subject="",
    )
    grown = await town.app.chat.edit(ref, edited)
    assert [each.rpartition("/")[2] == "file" for each in grown.ids] == [False, False, False, True]
    assert (grown.ids[0], grown.ids[-1]) == (ref.ids[0], ref.ids[-1])
    assert sum(each.count("word") for each in discord.texts(root.thread)) == 1500
    assert await town.app.chat.edit(grown, edited) == grown

    shrunk = await town.app.chat.edit(
        grown,
        post(
            "d1:21:verdict",
            Shape.VERDICT,
            title="VERDICT: REJECT",
            body="Done.",
            edits="d1:verdict",
        ),
    )
    assert shrunk.ids == ref.ids
    assert discord.texts(root.thread) == [
        "### VERDICT: REJECT\nDone.",
        "-# VERDICT: APPROVE\n<debate-d1.md>",
    ]


async def test_a_root_too_long_for_one_message_goes_on_in_its_thread(town: Town) -> None:
    discord = town.discord
    since = datetime.now(UTC)
    fields = tuple((f"Note {n}", "word " * 100) for n in range(12))
    root = await town.debate(fields=fields, buttons=(STOP,))
    (starter,) = discord.messages(discord.general)
    assert discord.buttons(starter) == {"Stop": "d1|c|stop|d1"}
    assert len(discord.messages(root.thread)) == 1
    again = post("d1:root", Shape.ROOT, title="PR 7", fields=fields, buttons=(STOP,))
    assert await town.app.chat.find(town.place, None, again, since) == list(root.ids)
    edited = await town.app.chat.edit(
        root, post("d1:9:root", Shape.ROOT, title="PR 7", fields=fields[:1], edits="d1:root")
    )
    assert edited.ids == root.ids[:1]
    assert discord.messages(root.thread) == []


async def test_in_a_forum_a_debate_is_a_post(town: Town) -> None:
    discord = town.discord
    forum = discord.world.channel(discord.guild, "ideas", FORUM)["id"]
    await town.restart()
    place, since = f"discord:{discord.guild}/{forum}", datetime.now(UTC)
    starter = post("d2:root", Shape.ROOT, title="Tabs?", reaction_options=SEEDS)
    root = await town.app.chat.send(place, None, starter)
    await town.app.chat.send(place, root.thread, post("d2:4", who="skeptic", body="No."))
    (thread,) = discord.threads(forum)
    assert (thread["name"], root.thread, root.ids) == (
        "Tabs?",
        thread["id"],
        (f"{thread['id']}/{thread['id']}",),
    )
    assert discord.texts(thread["id"])[1] == "**skeptic**\nNo."
    await town.app.chat.edit(root, post("d2:9", Shape.ROOT, title="Tabs!", edits="d2:root"))
    assert discord.texts(thread["id"])[0] == "### Tabs!"
    await town.restart()
    assert await town.app.chat.find(place, None, starter, since) == list(root.ids)
    assert await town.app.chat.send(place, None, starter, root.ids) == root
    assert len(discord.threads(forum)) == 1


async def test_in_a_voice_channel_a_debate_is_a_chain_of_replies(town: Town) -> None:
    discord = town.discord
    voice = discord.world.channel(discord.guild, "talk", VOICE)["id"]
    await town.restart()
    place = f"discord:{discord.guild}/{voice}"
    root = await town.app.chat.send(place, None, post("d2:root", Shape.ROOT, title="Tabs?"))
    await town.app.chat.send(place, root.thread, post("d2:4", who="skeptic", body="No."))
    starter, reply = discord.messages(voice)
    assert (root.thread, reply["message_reference"]["message_id"]) == (
        starter["id"],
        int(starter["id"]),
    )


async def test_one_debate_in_two_channels_stands_in_both(town: Town) -> None:
    """The same post has another nonce in another channel, so Discord does not take it for a
    repetition.
    """
    other = town.discord.world.channel(town.discord.guild, "other")["id"]
    await town.debate()
    await town.restart()
    await town.app.chat.send(
        f"discord:{town.discord.guild}/{other}", None, post("d1:root", Shape.ROOT, title="PR 7")
    )
    assert town.discord.texts(other) == town.discord.texts(town.discord.general) == ["### PR 7"]


async def test_a_debate_longer_than_an_interactions_token_goes_on(town: Town) -> None:
    command = await town.discord.command("start", {"template": "code_review", "target": "x"})
    await town.discord.answer(command)
    root = await town.debate()
    town.discord.advance(16 * 60)
    await town.app.chat.send(
        town.place, root.thread, post("d1:4", who="skeptic", body="Still here.")
    )
    assert town.discord.texts(root.thread) == ["**skeptic**\nStill here."]
    ada = f"discord:{town.discord.guild}/{town.discord.ada}"
    await town.app.chat.send_private(town.place, ada, "It is over.")
    assert town.discord.texts(town.discord.world.dm(town.discord.ada)["id"]) == ["It is over."]
