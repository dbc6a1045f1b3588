"""Every test that takes ``db`` runs on a real SQLite file and on a real PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from storage.database import Database, database_url
from storage.schema import open_database, upgrade
from tests.pg import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@dataclass
class Hands:
    """A clock that a test moves."""

    time: datetime = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def pass_by(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that is up to date and empty: to copy it is much quicker than to make its tables."""
    file = tmp_path_factory.mktemp("empty") / "debate.db"
    upgrade(database_url(str(file)))
    return file


ON_SQLITE = pytest.mark.parametrize("database_address", ["sqlite"], indirect=True)
"""For a rule that is in Python, or whose SQL other tests run on PostgreSQL as well."""


@pytest.fixture(params=["sqlite", "postgres"])
def database_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        empty: Path = request.getfixturevalue("empty_file")
        return str(shutil.copy(empty, tmp_path / "debate.db"))
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
async def db(database_address: str, hands: Hands) -> AsyncIterator[Database]:
    database = await open_database(database_address, hands.now)
    yield database
    await database.close()
