"""Writes the threads that ``test_slack_thread`` compares with, after a change that is wanted.

Read the difference before you commit it.
"""

from __future__ import annotations

import asyncio
import tempfile
from functools import partial
from pathlib import Path

from tests.end_to_end import test_objections
from tests.end_to_end.played import LINK
from tests.end_to_end.recorded import REVIEWS, Kind, Speakers, draw_as_in_tests
from tests.end_to_end.slack_office import office
from tests.end_to_end.test_slack_thread import GOLDEN
from tests.standins.github import GitHubStandIn


async def thread(kind: Kind) -> str:
    draw_as_in_tests()
    with tempfile.TemporaryDirectory() as folder:
        async with GitHubStandIn().running() as github:
            github.load_case("py-static-prefix")
            async with office(Path(folder), github, models=kind.models) as place:
                debate = await place.finished(f"code_review {LINK}{kind.typed}")
                return place.page(place.root(debate)) + "\n"


async def objection(name: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        async with GitHubStandIn().running() as github:
            github.load_case("py-static-prefix")
            models = partial(Speakers, objection=name)
            async with office(Path(folder), github, models=models) as place:
                return (await test_objections.object_in_thread(place, name))[1]


if __name__ == "__main__":
    for name, golden in GOLDEN.items():
        golden.write_text(asyncio.run(thread(REVIEWS[name])), "utf-8")
    for name, golden in test_objections.GOLDEN.items():
        golden.write_text(asyncio.run(objection(name)), "utf-8")
