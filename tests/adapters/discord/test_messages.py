"""Messages to the bot: by its name or its role, with links as people write them, with the attached
file as the material.
"""

from __future__ import annotations

import asyncio

import pytest

from core.application.commands import Start
from tests.adapters.discord.conftest import Town, settled
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_world import until

LINK = "https://github.com/o/r/pull/7"
DIFF = "\ufeff--- a\n+++ b\n".encode()


async def test_a_file_with_a_mention_or_in_a_direct_message_is_the_material(town: Town) -> None:
    discord = town.discord
    mention = f"<@{discord.world.bot['id']}>"
    dm = discord.world.dm(discord.ada)["id"]
    first = await discord.reply(
        discord.general,
        f"{mention} code_review --rounds 2",
        files={"pic.png": b"p", "fix.diff": DIFF},
    )
    await until(lambda: len(town.desk.taken) == 1, what="the mention")
    await discord.reply(dm, "design_doc Our plan", files={"plan.md": b"# Plan"})
    await until(lambda: len(town.desk.taken) == 2, what="the direct message")
    assert [ask for ask, _ in town.desk.taken] == [
        Start("code_review", "fix.diff", rounds=2, text="--- a\n+++ b\n"),
        Start("design_doc", "Our plan", text="# Plan"),
    ]
    in_channel, in_dm = (caller for _, caller in town.desk.taken)
    assert (in_channel.place, in_channel.source, in_channel.private) == (
        town.place,
        f"discord:{first['id']}",
        False,
    )
    assert (in_dm.place, in_dm.private) == (f"discord:@me/{dm}", True)
    assert town.desk.sayings == []


async def test_a_file_is_read_as_it_is_whatever_is_told_with_it(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord's message gives a size of one byte for the file; a file that moved to another address
    is not followed there.
    """
    discord, attached = town.discord, town.discord.world.attached
    elsewhere = discord.world.attached({"elsewhere.md": b"a secret of the machine"})[0]["url"]
    discord.moved["moved.md"] = f"{discord.origin}{elsewhere}"
    monkeypatch.setattr(
        discord.world, "attached", lambda files: [one | {"size": 1} for one in attached(files)]
    )
    dm = discord.world.dm(discord.ada)["id"]
    mention = f"<@{discord.world.bot['id']}>"
    for n, (name, content, sentence) in enumerate(
        (
            (
                "pic.png",
                b"p",
                "I can read .diff, .patch, .md, .markdown, .txt files; attached was pic",
            ),
            ("empty.md", b"", "empty.md is empty: there is nothing in it to debate"),
            ("pic.diff", b"\x89PNG\r\n\x1a\n\0\0", "is not UTF-8 text; save it as UTF-8"),
            ("bomb.txt", b"PK\x03\x04\0\0\0\0", "bomb.txt is no text, whatever its name says"),
            ("utf16.patch", "+x\n".encode("utf-16-be"), "utf16.patch is no text"),
            ("large.md", b"x" * 2_000_001, "large.md has more than 2,000,000 bytes; at most"),
            ("moved.md", b"moved", "Discord did not hand out moved.md. Try again."),
        )
    ):
        await discord.reply(discord.general, f"{mention} design_doc", files={name: content})
        await until(lambda n=n: len(discord.messages(dm)) > n, what="an answer")
        assert sentence in discord.texts(dm)[n].replace("\\", "")
    assert (town.desk.taken, town.desk.sayings) == ([], [])


async def test_a_picture_beside_a_command_or_a_file_beside_a_challenge_change_nothing(
    town: Town,
) -> None:
    discord = town.discord
    mention = f"<@{discord.world.bot['id']}>"
    root = await town.debate()
    await discord.reply(discord.general, f"{mention} code_review {LINK}", files={"pic.png": b"p"})
    await until(lambda: len(town.desk.sayings) == 1, what="the command")
    await discord.reply(
        root.thread, f"{mention} the last code_review proves it", files={"run.txt": b"x"}
    )
    await until(lambda: len(town.desk.sayings) == 2, what="the challenge")
    await discord.reply(discord.general, "look at this", files={"run.txt": b"x"})
    await discord.reply(root.thread, f"{mention} code_review Our fix", files={"fix.diff": DIFF})
    await until(lambda: town.desk.taken or len(town.desk.sayings) > 2, what="the start")
    assert [text for _, text, _, _ in town.desk.sayings] == [
        f"code_review {LINK}",
        "the last code_review proves it",
    ]
    assert [ask for ask, _ in town.desk.taken] == [
        Start("code_review", "Our fix", text="--- a\n+++ b\n")
    ]


async def test_the_bots_own_role_is_its_name_too() -> None:
    async with DiscordStandIn() as discord:
        role = discord.own_role("Debatebot")
        other = discord.own_role("Somebody")
        discord.world.guilds[discord.guild]["roles"][-1]["tags"] = {"bot_id": "1"}
        async with settled(discord) as town:
            await discord.reply(discord.general, f"<@&{other}> status")
            await discord.reply(discord.general, f"<@&{role}>, status")
            await until(lambda: town.desk.sayings, what="the mention")
            await asyncio.sleep(0.02)
            assert [(text, mentioned) for _, text, mentioned, _ in town.desk.sayings] == [
                ("status", True)
            ]


async def test_links_are_read_without_the_brackets_that_keep_them_folded(town: Town) -> None:
    discord = town.discord
    await discord.reply(discord.general, f"<@{discord.world.bot['id']}> code_review <{LINK}>")
    await until(lambda: town.desk.sayings, what="the mention")
    await discord.answer(
        await discord.command("start", {"template": "code_review", "target": f"<{LINK}>"})
    )
    message = await discord.reply(discord.general, f"See <{LINK}>, <@{discord.bob}>", discord.bob)
    menu = await discord.context_menu("Debate this", discord.general, message["id"])
    await discord.answer(await discord.submit_modal(menu, {}))
    assert town.desk.sayings[0][1] == f"code_review {LINK}"
    assert [ask for ask, _ in town.desk.taken] == [
        Start("code_review", LINK),
        Start("code_review", f"See {LINK}, @bob"),
    ]
