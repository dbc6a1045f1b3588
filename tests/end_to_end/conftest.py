"""A forge of our own, and the log of a test as it grows."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.__main__ import main
from tests import replayed
from tests.end_to_end.discord_city import City, city
from tests.end_to_end.played import LINK, Played, Review, typed
from tests.end_to_end.readers import forked_readers
from tests.end_to_end.shell import Command, Ran
from tests.end_to_end.slack_office import Office, office
from tests.standins.github import GitHubStandIn

__all__ = ["forked_readers"]

PLAYED_AGAIN = {
    "test_discord_debate",
    "test_discord_points",
    "test_slack_thread",
}


@pytest.fixture(autouse=True)
def same_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads the dice: ids, seats and with them every scripted answer are the same in every run."""
    drawn = Random(7)
    monkeypatch.setattr(secrets, "randbits", drawn.getrandbits)
    monkeypatch.setattr(secrets, "choice", drawn.choice)
    monkeypatch.setattr(secrets, "randbelow", drawn.randrange)


@pytest.fixture(autouse=True)
def played_again(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Replays every debate that a thread held and compares the two, except where many are held at
    once or a process is killed.
    """
    if request.path.stem in PLAYED_AGAIN:
        yield from replayed.watch(monkeypatch)
    else:
        yield


@pytest.fixture
async def github() -> AsyncIterator[GitHubStandIn]:
    async with GitHubStandIn().running() as standin:
        yield standin


@pytest.fixture
async def town(tmp_path: Path, github: GitHubStandIn) -> AsyncIterator[City]:
    """Yields a Discord beside a forge with one real pull request."""
    github.load_case("py-static-prefix")
    async with city(tmp_path, github) as opened:
        yield opened


@pytest.fixture
async def place(tmp_path: Path, github: GitHubStandIn) -> AsyncIterator[Office]:
    """Yields a Slack beside a forge with one real pull request."""
    github.load_case("py-static-prefix")
    async with office(tmp_path, github) as opened:
        yield opened


@pytest.fixture
def review(tmp_path: Path, github: GitHubStandIn) -> Review:
    """Plays a review of the pull request that ``LINK`` names, typed in a shell."""

    async def play(*words: str, **more: Any) -> Played:
        return await typed(tmp_path, github, "code_review", LINK, *words, **more)

    return play


@pytest.fixture
def debate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Runs one command in a clean folder, with the scripted model."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEBATE_SCRIPTED", "1")
    monkeypatch.setenv("DEBATE_MODELS", "scripted")

    def run(*typed: str) -> Ran:
        code = main(typed)
        output = capsys.readouterr()
        return Ran(code, output.out, output.err)

    return run


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[logging.LogRecord]]:
    """Yields every log record, of every library, from debug on. The handlers that put each into
    words at once hear of warnings only.
    """
    root, records = logging.getLogger(), list[logging.LogRecord]()
    level = root.level
    for each in root.handlers:
        monkeypatch.setattr(each, "level", logging.WARNING)
    keeping = logging.Handler()
    monkeypatch.setattr(keeping, "emit", records.append)
    root.setLevel(logging.DEBUG)
    root.addHandler(keeping)
    yield records
    root.removeHandler(keeping)
    root.setLevel(level)
