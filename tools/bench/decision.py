"""``python -m tools.bench.decision``: the seconds from a decision in the store to its messages, for
one debate and for ten at once in three channels, while Slack and Discord enforce their documented
limits. Models answer at once, so that all the time is the bot's own.
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

from adapters.posts.keys import root_key, verdict_key
from bot.posting.deliver import PACE
from core.words.views.verdict.decision import decision
from storage.tables import EVENT
from tests.end_to_end.discord_city import City, city
from tests.end_to_end.played import LINK
from tests.end_to_end.slack_office import Office, office
from tests.end_to_end.world import World
from tests.standins.discord_world import render as read
from tests.standins.github import GitHubStandIn
from tests.standins.limits import DISCORD, SLACK
from tests.standins.slack import render
from tools.bench.__main__ import line

CHANNELS = 3
MANY = 10
_LOOK = 0.02
"""Seconds between two looks at the messages."""
_PATIENCE = 120.0


@dataclass
class Times:
    """When a debate's decision was stored, and when people could read it: in the debate's root, in
    the verdict's message.
    """

    stored: float = 0.0
    root: float = 0.0
    verdict: float = 0.0


@dataclass
class Measured:
    refused: int = 0
    """The calls that the platform refused because they came too early."""
    times: list[Times] = field(default_factory=list)


Text = Callable[[str, str], str]
"""Returns the text that a debate's place shows now: for "root" its root, for "verdict" the rest."""


async def watched(world: World, debates: int, text: Text) -> list[Times]:
    """Looks at the threads until all have shown their decision."""
    seen: dict[str, Times] = {}
    headlines: dict[str, str] = {}
    end = time.monotonic() + _PATIENCE
    while len(seen) < debates or not all(one.root and one.verdict for one in seen.values()):
        assert time.monotonic() < end, seen
        for debate, at in (await stored(world)).items():
            one = seen.setdefault(debate, Times(at))
            if debate not in headlines:
                headlines[debate] = decision(await world.parts.service.load(debate)).headline
            for what in ("root", "verdict"):
                if not getattr(one, what) and _holds(text(debate, what), headlines[debate]):
                    setattr(one, what, time.time())
        await asyncio.sleep(_LOOK)
    return list(seen.values())


def _holds(text: str, headline: str) -> bool:
    """True if a text shows the decision: the beginning of its headline, whatever follows."""
    return headline.split(":", maxsplit=1)[0].split(",", maxsplit=1)[0] in text.replace("\\", "")


async def stored(world: World) -> dict[str, float]:
    """Returns when the decision of each debate was stored."""
    query = sa.select(EVENT.c.debate_id, EVENT.c.at).where(EVENT.c.kind == "debate_concluded")
    rows = await world.parts.stores.database.read(lambda conn: conn.execute(query).all())
    return {row.debate_id: row.at.timestamp() for row in rows}


async def slack(place: Office, debates: int) -> Measured:
    place.slack.limits = SLACK
    channels = [f"C{n}" for n in range(1, CHANNELS + 1)]
    for channel in channels:
        place.slack.world.channel(channel)
    for _, channel in zip(range(debates), itertools.cycle(channels), strict=False):
        await place.slack.slash(f"code_review {LINK} --debate-anyway", channel=channel)

    def text(debate: str, what: str) -> str:
        key = f"{root_key(debate) if what == 'root' else verdict_key(debate)}#0"
        return "".join(render(m) for c in channels for k, m in place.ours(c) if k == key)

    times = await watched(place, debates, text)
    return Measured(len(place.slack.used.refused), times)


async def discord(town: City, debates: int) -> Measured:
    rest, world = town.discord.rest, town.discord.world
    rest.limits = DISCORD
    channels = [town.discord.general]
    channels += [world.channel(town.discord.guild, f"c{n}")["id"] for n in range(1, CHANNELS)]
    for _, channel in zip(range(debates), itertools.cycle(channels), strict=False):
        await town.started(channel=channel)

    def text(debate: str, what: str) -> str:
        for message in (m for c in channels for m in town.discord.messages(c)):
            if debate in (root := read(message)):
                if what == "root" or message["id"] not in world.channels:
                    return root if what == "root" else ""
                return "".join(map(read, town.discord.messages(message["id"])))
        return ""

    times = await watched(town, debates, text)
    return Measured(len(rest.used.refused), times)


async def main() -> None:
    async with GitHubStandIn().running() as github:
        github.load_case("py-static-prefix")
        for debates in (1, MANY):
            for platform in ("Slack", "Discord"):
                async with AsyncExitStack() as stack:
                    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                    if platform == "Slack":
                        measured = await slack(
                            await stack.enter_async_context(office(folder, github, paces=PACE)),
                            debates,
                        )
                    else:
                        measured = await discord(
                            await stack.enter_async_context(city(folder, github, paces=PACE)),
                            debates,
                        )
                show(platform, debates, measured)


def show(platform: str, debates: int, measured: Measured) -> None:
    bar = "aim 2 s" if debates == 1 else "aim 10 s"
    for what in ("root", "verdict"):
        waits = [getattr(one, what) - one.stored for one in measured.times]
        count = f"{debates} debate{'s' if debates > 1 else ''}"
        figure = f"{max(waits):.1f} s"
        line(f"{platform}, {count}: stored until the {what} shows it", figure, bar)
    line(f"{platform}: calls refused as too early", str(measured.refused), "aim 0")


if __name__ == "__main__":
    asyncio.run(main())
