"""A GitHub of our own for every test that needs one, and a shelf that reads it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.forges.port import Host
from adapters.forges.wire import WireLimits
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings
from core.debate.material import Material
from core.debate.material.library import ReadRequest
from tests.standins.github import GitHubStandIn

LINK = "https://github.com/o/r/pull/412"
TOKEN = "ghp_" + "Zq3vT8LmX2cR9wKf" + "5HnYb7JdPs4GtQ1Ae6Vu"
NOW = datetime(2026, 5, 4, 14, 20, tzinfo=UTC)
QUICK = WireLimits(seconds=10.0, tries=3, pause=0.0, max_bytes=3_000_000)


@pytest.fixture
async def github() -> AsyncIterator[GitHubStandIn]:
    async with GitHubStandIn().running() as standin:
        yield standin


class Shelf(MaterialLibrary):
    """A reader of a GitHub of our own, with a chat's rights: no files, no private repositories."""

    def __init__(self, github: GitHubStandIn, **more: Any) -> None:
        super().__init__(replace(settings_for(github), **more))
        self.github = github

    async def pull(self, link: str = LINK, place: str = "", budget: int = 20_000) -> Material:
        return await self.read(ReadRequest(link, kind="pull_request", budget=budget, place=place))


@pytest.fixture
def shelf(github: GitHubStandIn) -> Shelf:
    return Shelf(github)


def settings_for(github: GitHubStandIn) -> LibrarySettings:
    return LibrarySettings(
        hosts={"github.com": Host("github", github.url, TOKEN)}, limits=QUICK, now=lambda: NOW
    )
