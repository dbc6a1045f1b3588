"""The price of a debate is shown to the person who asks for it: as a line up to the limit, and as a
question above it.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.end_to_end.discord_city import City, city, read
from tests.end_to_end.played import LINK
from tests.end_to_end.test_slack_price import PRICE
from tests.standins.discord_world import Interaction, until
from tests.standins.github import GitHubStandIn
from tests.standins.openai import Fail, OpenAI, openai

ASKED = PRICE + r" Nothing has started yet\. It starts when you press the button\.\n\[Start it\]"


@dataclass
class Shop:
    """A city whose models are paid for. Nobody answers there: what is tested happens before."""

    town: City
    provider: OpenAI

    async def nothing_began(self) -> None:
        assert await self.town.parts.stores.debates.find_recent() == []
        assert self.provider.requests == []
        assert self.town.discord.messages(self.town.discord.general) == []

    async def ids(self) -> list[str]:
        return [line.id for line in await self.town.parts.stores.debates.find_recent()]


@pytest.fixture
async def shop(tmp_path: Path, github: GitHubStandIn) -> AsyncIterator[Shop]:
    github.load_case("py-static-prefix")
    async with openai() as provider:
        provider.answers = [Fail(401, "no")]
        env = provider.settings() | {"DEBATE_ASK_ABOVE": "0.0001"}
        async with city(tmp_path, github, **env) as town:
            shop = Shop(town, provider)
            yield shop
            for id in await shop.ids():  # it fails at once: no call is under way at the end
                await town.reaches(id, "failed", "finished", "stopped", "paused", "waiting")


async def offered(town: City, name: str, **options: object) -> Interaction:
    command = await town.discord.command(name, options)
    assert re.fullmatch(ASKED, read(await town.discord.answer(command)))
    assert command.ephemeral
    return command


async def agreed(town: City, command: Interaction) -> str:
    assert command.original is not None
    press = await town.discord.press(town.discord.general, command.original, "Start it")
    return read(await town.discord.answer(press))


async def test_above_the_limit_nothing_starts_before_somebody_agrees_and_then_once(
    shop: Shop,
) -> None:
    """The price, the answer to the button and the runner: one reading of the change, no more than
    the price that was agreed to, and the repository around it not before somebody has agreed (the
    price allows for as much of it as there may be). A second press starts nothing.
    """
    town = shop.town
    command = await offered(
        town, "start", template="code_review", target=LINK, rounds=1, debate_anyway=True
    )
    await shop.nothing_began()
    before = list(town.github.paths)
    assert before
    reply = await agreed(town, command)
    assert re.fullmatch(
        rf"Debate `\w+` is starting: code review on {LINK}\. {PRICE} It will post here\.", reply
    )
    (id,) = await shop.ids()
    debate = await town.reaches(id, "failed", "finished", "stopped", "paused", "waiting")
    after = [path.rpartition("/")[0] for path in town.github.paths[len(before) :]]
    assert (debate.request.rounds, debate.request.extras) == (1, {"debate-anyway": "yes"})
    assert debate.request.place == f"discord:{town.discord.guild}/{town.discord.general}"
    assert not any("/tarball/" in path for path in before)
    assert after == ["/repos/o/r/pulls", "/repos/o/r/tarball"]
    price = re.search(r"Price: \$([\d.]+),", reply)
    assert price is not None
    estimate = debate.open.terms.estimate
    assert estimate is not None
    assert 0 < estimate <= float(price[1])
    assert await agreed(town, command) == reply
    assert await shop.ids() == [id]


async def test_a_form_and_an_attached_file_are_asked_about_too(shop: Shop) -> None:
    town = shop.town
    form = await town.discord.command("start", {"template": "panel", "form": "extended"})
    sent = await town.discord.submit_modal(
        form, {"What is debated": "Should we move the queue to PostgreSQL?"}
    )
    assert re.fullmatch(ASKED, read(await town.discord.answer(sent)))
    diff = town.github.pulls["o/r", 412].diff
    attached = await town.discord.command(
        "start", {"template": "code_review"}, files={"material": ("fix.diff", diff)}
    )
    assert re.fullmatch(ASKED, read(await town.discord.answer(attached)))
    await shop.nothing_began()
    assert "panel on Should we move the queue to PostgreSQL?" in await agreed(town, sent)
    assert "code review on fix.diff" in await agreed(town, attached)
    requests = {
        debate.request.template: debate.request
        for debate in [await town.parts.service.load(id) for id in await shop.ids()]
    }
    assert requests["code_review"].text == diff.decode()
    assert requests["panel"].extras == {"form": "extended"}


async def test_who_writes_is_told_how_to_agree(shop: Shop) -> None:
    town, dm = shop.town, shop.town.discord.world.dm(shop.town.discord.ada)["id"]
    mention = f"<@{town.discord.world.bot['id']}>"
    await town.discord.reply(town.discord.general, f"{mention} code_review {LINK}")
    await until(lambda: town.discord.messages(dm), what="the price")
    reply = read(town.discord.texts(dm)[0])
    expected = (
        r" Nothing has started yet\. Write it again with `--yes` to start it, or with "
        r"`--budget USD` to limit it\."
    )
    assert re.fullmatch(PRICE + expected, reply)
    assert await shop.ids() == []
    await town.discord.reply(town.discord.general, f"{mention} code_review {LINK} --yes")
    await until(lambda: len(town.discord.messages(dm)) == 2, what="the start")
    assert len(await shop.ids()) == 1
