"""``python -m tools.bench.discord``: how soon Discord is answered while nothing else answers, and
what a thread looks like in time.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import statistics
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from tests.end_to_end.discord_city import City, city
from tests.end_to_end.played import LINK
from tests.end_to_end.world import Time
from tests.standins.discord_rest import Call
from tests.standins.discord_world import Interaction, until
from tests.standins.github import GitHubStandIn
from tools.bench.__main__ import line

TIMES = 100
ANSWER = 6.0
"""Seconds that a model takes for one answer when a thread is timed."""


class Pondering(Time):
    """Models that take their real time."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(ANSWER)


async def acknowledged(folder: Path, github: GitHubStandIn) -> None:
    """Measures commands and presses while the database is locked and no model answers."""
    async with city(folder, github) as town:
        town.time.let(0)
        debate = await town.started()
        await until(lambda: town.time.waiting, what="the seats are asked")
        await town.wait_for_posts()
        root = await town.root(debate)
        with closing(sqlite3.connect(folder / "debate.db", isolation_level=None)) as conn:
            conn.execute("BEGIN IMMEDIATE")
            took = []
            for _ in range(TIMES):
                took.append(
                    await answered(
                        await town.discord.command(
                            "start", {"template": "code_review", "target": LINK}
                        )
                    )
                )
                took.append(
                    await answered(await town.discord.press(town.discord.general, root, "Pause"))
                )
            conn.execute("ROLLBACK")
    figure = f"{statistics.median(took) * 1000:.1f} ms"
    line(
        f"acknowledged, database and models stalled, {len(took)} interactions",
        figure,
        f"worst {max(took) * 1000:.0f} ms of 3000",
    )


async def answered(one: Interaction) -> float:
    """Returns the seconds until Discord got an acknowledgement."""
    await until(lambda: one.acknowledged, 10, "an acknowledgement")
    return (one.acknowledged or 99.0) - one.born


async def thread(folder: Path, github: GitHubStandIn) -> None:
    """Plays one debate with models that think."""
    seen: list[tuple[float, str]] = []

    def tap(call: Call, done: bool) -> None:
        if done and call.path.startswith("/channels") and call.method != "GET":
            seen.append(
                (asyncio.get_running_loop().time(), call.method + call.template.rpartition("/")[2])
            )

    async with city(folder, github, time=Pondering()) as town:
        town.discord.rest.tap = tap
        debate = await town.started(vote_window="0s")
        await over(town, debate)
    counts = Counter(what for _, what in seen)
    reactions = counts["PUT@me"]
    line(
        "messages of one code_review debate",
        f"{counts['POSTmessages']}",
        f"{counts['PATCH{message_id}']} edits, {reactions} reactions",
    )
    times = [at for at, what in seen if what != "PUT@me"]
    longest = max(b - a for a, b in itertools.pairwise(times))
    line(
        f"longest silence in its thread, {ANSWER:g} s for each answer",
        f"{longest:.1f} s",
        f"{times[-1] - times[0]:.0f} s in all",
    )


async def over(town: City, debate: str) -> None:
    while (await town.parts.service.load(debate)).status != "finished":  # noqa: ASYNC110  the store has no event to wait for
        await asyncio.sleep(0.5)
    await town.wait_for_posts()


async def main() -> None:
    async with GitHubStandIn().running() as github:
        github.load_case("py-static-prefix")
        for part in (acknowledged, thread):
            with tempfile.TemporaryDirectory() as folder:
                await part(Path(folder), github)


if __name__ == "__main__":
    asyncio.run(main())
