"""``python -m tools.bench.slack``: how soon Slack is answered while nothing else answers, and what
a thread looks like in time.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from bot.posting.deliver import PACE
from tests.end_to_end.slack_office import office
from tests.end_to_end.world import Time
from tests.standins.github import GitHubStandIn
from tools.bench.__main__ import line

TIMES = 50
ANSWER = 6.0
"""Seconds that a model takes for one answer when a thread is timed."""


async def acknowledged(folder: Path, github: GitHubStandIn, *, http: bool) -> None:
    """Measures commands, mentions, replies, reactions and clicks while the database is locked and
    no model answers.
    """
    async with office(folder, github, http=http) as place:
        place.time.let(3)
        debate = await place.debate()
        await place.reaches(debate, lambda d: len(d.finished) == 3)
        root = place.root(debate)
        done = len(place.slack.deliveries)
        with closing(sqlite3.connect(folder / "debate.db", isolation_level=None)) as conn:
            conn.execute("BEGIN IMMEDIATE")
            for n in range(TIMES):
                await place.slack.slash(f"panel Should we take option number {n}?")
                await place.slack.mention(f"panel Should we take option number {n}?")
                await place.slack.reply(root, f"challenge: what of case {n}?")
                await place.slack.react(root, "x", user=f"U{n}")
                await place.slack.press(root, "Pause")
            took = [d.acked or 99.0 for d in place.slack.deliveries[done:]]
            conn.execute("ROLLBACK")
    median, worst = statistics.median(took) * 1000, max(took) * 1000
    what = (
        f"acknowledged over {'HTTP' if http else 'Socket Mode'}, database and models stalled, "
        f"{len(took)} events"
    )
    line(what, f"{median:.1f} ms", f"worst {worst:.0f} ms of 3000")


async def thread(folder: Path, github: GitHubStandIn) -> None:
    """Plays one debate at Slack's own pace."""
    async with office(folder, github, paces=PACE, time=Pondering()) as place:
        debate = await place.debate()
        await place.wait_for_posts(debate, timeout=180)
        rows = place.slack.calls
        methods = Counter(call.method for call in rows)
        seen = [
            call.at
            for call in rows
            if call.method in ("chat.postMessage", "chat.update", "files.completeUploadExternal")
        ]
    posts = methods["chat.postMessage"] + methods["files.completeUploadExternal"]
    line(
        "messages of one code_review debate",
        f"{posts}",
        f"{methods['chat.update']} edits, {methods['reactions.add']} reactions",
    )
    line(
        f"longest silence in its thread, {ANSWER:g} s for each answer",
        f"{longest(seen):.1f} s",
        f"{seen[-1] - seen[0]:.0f} s in all",
    )


class Pondering(Time):
    """Models that take their real time."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(ANSWER)


def longest(times: Iterable[float]) -> float:
    return max(b - a for a, b in itertools.pairwise(times))


async def main() -> None:
    async with GitHubStandIn().running() as github:
        github.load_case("py-static-prefix")
        for http in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                await acknowledged(Path(folder), github, http=http)
        with tempfile.TemporaryDirectory() as folder:
            await thread(Path(folder), github)


if __name__ == "__main__":
    asyncio.run(main())
