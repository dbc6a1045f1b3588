"""A GitHub of our own for every test that needs one, and a shelf that reads it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from adapters.forges.wire import WireLimits
from adapters.material import Host, LibrarySettings, MaterialLibrary
from tests.standins.github import GitHubStandIn

TOKEN = "ghp_" + "Zq3vT8LmX2cR9wKf" + "5HnYb7JdPs4GtQ1Ae6Vu"
NOW = datetime(2026, 5, 4, 14, 20, tzinfo=UTC)
QUICK = WireLimits(seconds=10.0, tries=3, pause=0.0, max_bytes=3_000_000)


@pytest.fixture
async def github() -> AsyncIterator[GitHubStandIn]:
    async with GitHubStandIn().running() as standin:
        yield standin


@pytest.fixture
def shelf(github: GitHubStandIn) -> MaterialLibrary:
    """Makes a reader with a chat's rights: no files, no private repositories."""
    return MaterialLibrary(settings_for(github))


def settings_for(github: GitHubStandIn) -> LibrarySettings:
    return LibrarySettings(
        hosts={"github.com": Host("github", github.url, TOKEN)}, limits=QUICK, now=lambda: NOW
    )
