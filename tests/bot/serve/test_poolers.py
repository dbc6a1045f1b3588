"""PostgreSQL behind a real pgbouncer: it works, or it is refused at the start in one sentence."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from bot.wire.parts import open_parts
from core.debate.errors import BadInput
from storage.database import database_url
from storage.database.servers import libpq
from storage.schema import open_database
from tests.bot.crashing import settings_for
from tests.bot.serve.test_replicas import everything_once, replica, start_debates, until
from tests.patience import PATIENCE
from tests.pg import Postgres
from tests.standins.pooler import pooled
from tests.standins.programs import find

pytestmark = pytest.mark.skipif(
    not find("pgbouncer"), reason="no pgbouncer: `make test` says how to get it"
)
DEBATES = 12


@pytest.fixture
def server_url(postgres_server: Postgres, postgres_url: str) -> str:
    """Returns the test's database as an address with a host, for a pooler to stand before."""
    return str(database_url(postgres_url).render_as_string(hide_password=False))


@pytest.mark.faults
async def test_two_replicas_play_every_debate_once_through_lent_connections(
    server_url: str, tmp_path: Path
) -> None:
    async with pooled(server_url, tmp_path, "transaction") as through:
        settings = settings_for(through, tmp_path, database_direct_url=server_url)
        async with open_parts(settings, shell=False) as parts:
            with (
                replica(through, tmp_path, server_url) as one,
                replica(through, tmp_path, server_url) as two,
            ):
                ids = await start_debates(parts, DEBATES)
                await until(parts, DEBATES, PATIENCE)
                assert one.poll() is None
                assert two.poll() is None
            await everything_once(parts, tmp_path, ids)


async def test_lent_connections_without_a_direct_address_are_refused_before_anything_is_made(
    server_url: str, tmp_path: Path
) -> None:
    async with pooled(server_url, tmp_path, "transaction") as through:
        with pytest.raises(BadInput) as refused:
            await open_database(through)
        assert str(refused.value) == (
            "DEBATE_DATABASE_URL leads through a pooler that lends a connection for each "
            "transaction (pgbouncer's pool_mode = transaction): name PostgreSQL's own address in "
            "DEBATE_DATABASE_DIRECT_URL, over which the bot listens and hands out debates."
        )
        with pytest.raises(BadInput, match=r"^DEBATE_DATABASE_DIRECT_URL leads through a pooler"):
            await open_database(through, direct=through)


async def test_a_pooler_that_keeps_sessions_needs_nothing(server_url: str, tmp_path: Path) -> None:
    async with pooled(server_url, tmp_path, "session") as through:
        database = await open_database(through)
        await database.close()


async def test_two_addresses_of_two_databases_are_refused(
    server_url: str, postgres_server: Postgres, tmp_path: Path
) -> None:
    async with pooled(server_url, tmp_path, "transaction") as through:
        with pytest.raises(BadInput) as refused:
            await open_database(through, direct=postgres_server.url("postgres"))
    assert str(refused.value) == (
        "DEBATE_DATABASE_URL and DEBATE_DATABASE_DIRECT_URL lead to two databases: the second is "
        "the first one's own address, past its pooler."
    )
    with pytest.raises(BadInput, match="SQLite needs none"):
        await open_database(str(tmp_path / "debate.db"), direct=server_url)


async def test_what_is_set_for_one_transaction_holds_for_no_stranger(
    server_url: str, tmp_path: Path
) -> None:
    async with pooled(server_url, tmp_path, "transaction") as through:
        database = await open_database(through, direct=server_url)
        inside = await database.write(
            lambda conn: conn.exec_driver_sql("SHOW lock_timeout").scalar_one()
        )
        await database.close()
        with psycopg.connect(libpq(database_url(through)), prepare_threshold=None) as stranger:
            outside = stranger.execute("SHOW lock_timeout").fetchone()
    assert (inside, outside) == ("10s", ("0",))
