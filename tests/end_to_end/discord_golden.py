"""Writes the threads that ``test_discord_debate`` compares with, after a change that is wanted.

Read the difference before you commit it.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from unittest.mock import patch

from tests.conftest import is_setting
from tests.end_to_end.discord_city import city
from tests.end_to_end.recorded import REVIEWS, Kind
from tests.end_to_end.test_discord_debate import GOLDEN, reviewed
from tests.standins.github import GitHubStandIn


async def thread(kind: Kind) -> str:
    drawn = Random(7)
    for name in [name for name in os.environ if is_setting(name)]:
        del os.environ[name]
    async with AsyncExitStack() as stack:
        for name, draw in (
            ("randbits", drawn.getrandbits),
            ("choice", drawn.choice),
            ("randbelow", drawn.randrange),
        ):  # as in the tests
            stack.enter_context(patch.object(secrets, name, draw))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        github = await stack.enter_async_context(GitHubStandIn().running())
        github.load_case("py-static-prefix")
        town = await stack.enter_async_context(city(Path(folder), github, models=kind.models))
        return (await reviewed(town, **kind.options))[1]


if __name__ == "__main__":
    for name, golden in GOLDEN.items():
        golden.write_text(asyncio.run(thread(REVIEWS[name])), "utf-8")
