"""A debate as people see it: the starter, its thread, what is in it, and how it is edited in
place.
"""

from __future__ import annotations

from datetime import UTC, datetime

from adapters.ports.chat import Shape
from core.application.desk import ChatFile
from tests.adapters.discord.conftest import Town
from tests.adapters.discord.posts import SEEDS, STOP, post
from tests.standins.discord_world import FORUM, render


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
