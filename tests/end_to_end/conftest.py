"""A forge of our own, and the log of a test as it grows."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Iterator
from random import Random

import pytest

from tests import replayed
from tests.standins.github import GitHubStandIn


@pytest.fixture(autouse=True)
def same_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads the dice: ids, seats and with them every scripted answer are the same in every run."""
    drawn = Random(7)
    monkeypatch.setattr(secrets, "randbits", drawn.getrandbits)
    monkeypatch.setattr(secrets, "choice", drawn.choice)
    monkeypatch.setattr(secrets, "randbelow", drawn.randrange)


@pytest.fixture(autouse=True)
def played_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever is debated in this process comes out again."""
    yield from replayed.watch(monkeypatch)


@pytest.fixture
async def github() -> AsyncIterator[GitHubStandIn]:
    async with GitHubStandIn().running() as standin:
        yield standin


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """Every log record, of every library, from debug on."""
    caplog.set_level(logging.DEBUG)
    return caplog.records
