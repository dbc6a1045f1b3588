"""Both databases, a folder for each test, and one process that forks the processes that die."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot import settings
from bot.wire.parts import Parts, open_parts
from core.debate.events import DebateRequest
from core.debate.state import Debate
from tests import replayed
from tests.end_to_end.readers import forked_readers
from tests.pg import postgres_server, postgres_url
from tests.project import ROOT

__all__ = ["forked_readers", "postgres_server", "postgres_url"]


@pytest.fixture(autouse=True)
def played_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Replays every debate of these tests and requires the same events."""
    yield from replayed.watch(monkeypatch)


@dataclass
class Breeder:
    """Runs one life after another, each in its own process."""

    process: subprocess.Popen[str]

    def live(self, url: str, folder: Path, kind: str = "", number: int = 0) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        order = {"url": url, "folder": str(folder), "kind": kind, "number": number}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        ended: dict[str, Any] = json.loads(self.process.stdout.readline())
        return ended


@pytest.fixture(scope="session")
def breeder() -> Iterator[Breeder]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bot.crashing"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Breeder(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Returns a database for one test, on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        return str(tmp_path / "debate.db")
    address: str = request.getfixturevalue("postgres_url")
    return address


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Returns a SQLite database, for tests that do not depend on the kind of database."""
    return str(tmp_path / "debate.db")


@pytest.fixture
async def parts(tmp_path: Path) -> AsyncIterator[Parts]:
    env = {
        "DEBATE_SCRIPTED": "1",
        "DEBATE_MODELS": "scripted",
        "DEBATE_DATABASE_URL": f"sqlite:///{tmp_path}/debate.db",
        "DEBATE_SCRIPTED_LEDGER": str(tmp_path / "ledger.jsonl"),
    }
    async with open_parts(settings.read(env, tmp_path)) as made:
        yield made


async def held(parts: Parts, template: str, target: str, **options: object) -> Debate:
    """Plays the debate to its end and returns it."""
    request = DebateRequest(template, target, "shell:ann", "shell:ann", **options)  # type: ignore[arg-type]  # a test names its options
    return await parts.player.play(await parts.service.open(await parts.service.prepare(request)))
