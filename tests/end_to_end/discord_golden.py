"""Writes the threads that ``test_discord_debate`` compares with, after a change that is wanted.

Read the difference before you commit it.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from tests.end_to_end.discord_city import city
from tests.end_to_end.recorded import REVIEWS, Kind, draw_as_in_tests
from tests.end_to_end.test_discord_debate import GOLDEN, reviewed
from tests.standins.github import GitHubStandIn


async def thread(kind: Kind) -> str:
    draw_as_in_tests()
    with tempfile.TemporaryDirectory() as folder:
        async with GitHubStandIn().running() as github:
            github.load_case("py-static-prefix")
            async with city(Path(folder), github, models=kind.models) as town:
                return (await reviewed(town, **kind.options))[1]


if __name__ == "__main__":
    for name, golden in GOLDEN.items():
        golden.write_text(asyncio.run(thread(REVIEWS[name])), "utf-8")
