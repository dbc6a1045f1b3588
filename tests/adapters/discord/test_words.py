"""Discord's ids, emoji and times reach seats and readers as words."""

from __future__ import annotations

import pytest

from adapters.discord.incoming.words import words
from tests.adapters.discord.conftest import Town
from tests.standins.discord_world import until

PEOPLE = {7: "ann"}
LINES = {
    "ask <@7>, <@!7> or <@8>": "ask @ann, @ann or @8",
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
