"""Discord's ids, emoji and times reach seats and readers as words."""

from __future__ import annotations

import pytest

from adapters.discord.incoming.words import words
from core.application.commands import Start
from tests.adapters.discord.conftest import Town
from tests.standins.discord_world import until

PEOPLE = {7: "ann"}
LINES = {
    "ask <@7>, <@!7> or <@8>": "ask @ann, @ann or @8",
    "panel Which? --seats author=person:<@7>": "panel Which? --seats author=person:<@7>",
    "in <#5> for <@&6>": "in #5 for @6",
    "<:shipit:42> <a:party:43> done": ":shipit: :party: done",
    "since <t:1700000000:R>, <t:1700000000>": "since 2023-11-14 22:13 UTC, 2023-11-14 22:13 UTC",
    "<t:99999999999999:R>": "99999999999999",
    "use </debate:9> in <id:customize>": "use /debate in (page customize)",
    r"snake\_case \*is\* \<@7\>": "snake_case *is* <@7>",
    "see <https://x.example/a>": "see https://x.example/a",
    r"`a\_b <@7>` and ```\n\\n <@7>```": r"`a\_b <@7>` and ```\n\\n <@7>```",
    "mirror d1 discord:<#5>": "mirror d1 discord:<#5>",
    "no <brackets> a\\b": "no <brackets> a\\b",
}


@pytest.mark.parametrize("text", LINES)
def test_a_text_reads_as_people_see_it(text: str) -> None:
    assert words(text, None, PEOPLE) == LINES[text]


async def test_names_come_from_the_server(town: Town) -> None:
    discord = town.discord
    me, role = discord.world.bot["id"], discord._role("reviewers", 0)
    text = f"<@{me}> panel Should <@{discord.bob}> and <@&{role}> leave <#{discord.general}>?"
    await discord.reply(discord.general, text, discord.ada)
    await until(lambda: town.desk.sayings, what="the message")
    heard = town.desk.sayings[-1]
    assert f"@{discord.bob}" not in str(heard)
    assert f"#{discord.general}" not in str(heard)
    assert "@bob" in str(heard)


EMBED = {
    "type": "rich",
    "author": {"name": "Pager"},
    "title": "Disk full",
    "url": "https://pager.example/7",
    "description": "db-7 is at 99 %",
    "fields": [{"name": "Since", "value": "10:02", "inline": True}],
    "image": {"url": "https://pager.example/graph.png"},
}
FORWARDED: dict[str, object] = {
    **{name: [] for name in ("embeds", "attachments", "mentions", "mention_roles", "components")},
    "content": "restart it first",
    "type": 0,
    "flags": 0,
    "timestamp": "2026-11-26T10:00:00+00:00",
    "edited_timestamp": None,
}
POLL = {
    "question": {"text": "Roll back?"},
    "answers": [{"answer_id": n, "poll_media": {"text": t}} for n, t in ((1, "yes"), (2, "no"))],
    "expiry": "2026-11-27T10:00:00+00:00",
    "allow_multiselect": False,
    "layout_type": 1,
    "results": {"is_finalized": False, "answer_counts": []},
}
VOICE = {
    "id": "11",
    "filename": "voice-message.ogg",
    "size": 9,
    "url": "https://x/v.ogg",
    "proxy_url": "https://x/v.ogg",
    "duration_secs": 5.2,
    "waveform": "AA==",
}
LAID_OUT = [{"type": 17, "id": 1, "components": [{"type": 10, "id": 2, "content": "Runbook: R4"}]}]


async def test_this_thread_takes_along_what_began_it_and_names_what_has_no_words(
    town: Town,
) -> None:
    discord, world = town.discord, town.discord.world
    alerts = {
        **world.users[discord.bob],
        "id": "77",
        "username": "alerts",
        "global_name": None,
        "bot": True,
    }
    world.users["77"] = alerts
    begun = world.write(discord.general, alerts, {})
    begun |= {"embeds": [EMBED], "components": LAID_OUT}
    thread = world.open_thread(discord.general, "Disk full", 1440, message_id=begun["id"])["id"]
    await discord.reply(thread, "", discord.bob, files={"core.dump": b"x"})
    for more in (
        {"message_snapshots": [{"message": FORWARDED}]},
        {"poll": POLL},
        {"attachments": [VOICE]},
        {"sticker_items": [{"id": "12", "name": "panic", "format_type": 1}]},
    ):
        world.write(thread, world.users[discord.bob], {}).update(more)
    mention = f"<@{world.bot['id']}>"
    await discord.reply(thread, f"{mention} design_doc this thread", discord.ada)
    await until(lambda: town.desk.taken, what="the start")
    ((start, _),) = town.desk.taken
    assert isinstance(start, Start)
    for each in (
        *("alerts: ", "Pager", "Disk full", "https://pager.example/7", "db-7 is at 99 %"),
        *("Since: 10:02", "[a picture: Disk full]", "Runbook: R4"),
        *("[a file, not read: core.dump]", "[forwarded]\nrestart it first"),
        *("[a poll] Roll back?: yes (0), no (0)", "[a voice message of 5 s, not heard]"),
        "[a sticker: panic]",
    ):
        assert each in start.text
    assert "this thread" not in start.text
    del world.messages[discord.general][begun["id"]]
    world.write(thread, world.users[discord.bob], {}, kind=21)
    await discord.reply(thread, f"{mention} design_doc", discord.ada)
    await until(lambda: len(town.desk.taken) == 2, what="the second start")
    again = town.desk.taken[1][0]
    assert isinstance(again, Start)
    assert "the message that began this thread is gone" in again.text


async def test_a_thread_without_words_is_nothing_to_debate(town: Town) -> None:
    discord = town.discord
    thread = discord.world.open_thread(discord.general, "Empty", 1440)["id"]
    discord.world.write(thread, discord.world.users[discord.bob], {})
    mention = f"<@{discord.world.bot['id']}>"
    await discord.reply(thread, f"{mention} design_doc this thread", discord.ada)
    dm, text = discord.world.dm(discord.ada)["id"], "This thread holds no text to debate."
    await until(lambda: text in discord.texts(thread) + discord.texts(dm), what="the refusal")
    assert town.desk.taken == []


async def test_all_attached_files_are_the_material_and_a_diff_alone_is_a_code_review(
    town: Town,
) -> None:
    """A long paste becomes a file in Discord."""
    discord, taken = town.discord, town.desk.taken
    one, two = (f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n" for name in "xy")
    files = {"x.diff": one.encode(), "y.patch": two.encode(), "why.md": b"Two fixes."}
    dm = discord.world.dm(discord.ada)["id"]
    for number, (channel, text, attached) in enumerate(
        (
            (discord.general, f"<@{discord.world.bot['id']}> code_review", files),
            (dm, "", {"message.txt": one.encode()}),
            (dm, "please look at this", {"fix.diff": one.encode()}),
        ),
        start=1,
    ):
        await discord.reply(channel, text, files=attached)
        await until(lambda number=number: len(taken) == number, what="the start")
    assert [ask for ask, _ in taken] == [
        Start("code_review", "why.md, x.diff, y.patch", text=f"Two fixes.\n\n{one}\n{two}"),
        Start("code_review", "message.txt", text=one),
        Start("code_review", "please look at this", text=one),
    ]
