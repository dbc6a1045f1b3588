"""Databases of every age come up to date, keep their rows, and are copied whole."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import dialect

from core.debate.errors import BadInput, CouldNotFinish, StoreAway
from core.debate.events import UnknownEvent
from core.debate.state import replay
from storage import schema
from storage.codec import kind_of
from storage.database import database_url
from storage.database.engines import create_engine
from storage.database.lock import RunnerLock
from storage.database.servers import libpq
from storage.debates import Debates
from storage.schema import HEAD, NEEDED, open_database
from storage.tables import METADATA, Moment
from storage.word_index import is_part
from tests.patience import LONG
from tests.storage.releases.keep import FOLDER
from tests.storage.samples import old_database, requested


@pytest.fixture(autouse=True)
def databases_are_copied() -> None:
    """They are not: here their tables are made."""


def described(conn: sa.Connection) -> dict[str, object]:
    """Returns everything a database says of its tables, in comparable form."""
    inspector = sa.inspect(conn)
    return {
        name: (
            sorted(
                (c["name"], str(c["type"]), c["nullable"], str(c["default"]))
                for c in inspector.get_columns(name)
            ),
            inspector.get_pk_constraint(name),
            sorted(map(str, inspector.get_unique_constraints(name))),
            sorted(map(str, inspector.get_foreign_keys(name))),
            sorted(
                re.sub(" object at 0x[0-9a-f]+", "", str(index))
                for index in inspector.get_indexes(name)
            ),
        )
        for name in inspector.get_table_names()
    }


def test_the_shortcut_for_a_new_database_and_the_migrations_agree(
    database_address: str, tmp_path: Path
) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    url = database_url(database_address)
    schema.upgrade(url)
    engine = create_engine(url, begin="BEGIN IMMEDIATE", size=1, foreign_keys=False, lock_ms=LONG)
    with engine.begin() as conn:
        made = described(conn)
        METADATA.drop_all(conn)
        conn.exec_driver_sql("DROP TABLE alembic_version")
        schema.migrate(conn, schema.HEAD)
        assert described(conn) == made
        options = {"include_name": lambda name, _kind, _parents: not is_part(name)}
        context = MigrationContext.configure(conn, opts=options)
        assert compare_metadata(context, METADATA) == []
        assert schema.current_version(conn) == schema.HEAD
    engine.dispose()


def test_the_newest_migration_is_the_one_the_code_names() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [schema.HEAD]


async def test_opening_twice_changes_nothing(database_address: str) -> None:
    first = await open_database(database_address)
    await Debates(first).create(requested(), "k")
    await first.close()
    assert schema.upgrade(database_url(database_address)) is False
    second = await open_database(database_address)
    assert await Debates(second).load("d1") == [requested()]
    await second.close()


def test_two_processes_that_create_at_once_both_succeed(database_address: str) -> None:
    if not database_address.startswith("postgresql"):
        Path(database_address).unlink(missing_ok=True)
    made: list[object] = []

    def run() -> None:
        made.append(schema.upgrade(database_url(database_address)))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, made)) in (["False"] * 4, ["False"] * 3 + ["True"])


async def test_a_migration_that_rebuilds_a_parent_table_keeps_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trap: with foreign keys on, SQLite deletes every event when the table of debates is
    rebuilt.
    """
    file = str(tmp_path / "old.db")
    db = await open_database(file)
    await Debates(db).create(requested(), "k")
    await db.close()
    folder = tmp_path / "migrations"
    (folder / "versions").mkdir(parents=True)
    for source in (schema.MIGRATIONS / "env.py", *(schema.MIGRATIONS / "versions").glob("0*.py")):
        (folder / source.relative_to(schema.MIGRATIONS)).write_text(
            source.read_text(encoding="utf-8")
        )
    (folder / "versions" / "9999_next.py").write_text(
        'import sqlalchemy as sa\nfrom alembic import op\n\nrevision = "9999"\ndown_revision = '
        f'"{schema.HEAD}"\n\n\ndef upgrade():\n'
        '    with op.batch_alter_table("debate", recreate="always") as batch:\n'
        '        batch.add_column(sa.Column("mood", sa.Text(), nullable=False, '
        'server_default="calm"))\n'
    )
    monkeypatch.setattr(schema, "MIGRATIONS", folder)
    monkeypatch.setattr(schema, "HEAD", "9999")
    assert schema.upgrade(database_url(file)) is True
    with closing(sqlite3.connect(file)) as conn:
        assert conn.execute("SELECT id, mood FROM debate").fetchall() == [("d1", "calm")]
        assert conn.execute("SELECT debate_id, seq, kind FROM event").fetchall() == [
            ("d1", 0, "debate_requested")
        ]
        assert conn.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]
        assert (
            "fk_event_debate_id_debate"
            in conn.execute("SELECT sql FROM sqlite_master WHERE name='event'").fetchone()[0]
        )


async def test_a_backup_in_the_middle_of_many_commits_is_whole(tmp_path: Path) -> None:
    """Every debate in the copy has its request: no commit is there by half."""
    db = await open_database(str(tmp_path / "x.db"))
    debates, number = Debates(db), 0
    copying = asyncio.create_task(
        asyncio.to_thread(schema.backup, str(tmp_path / "x.db"), tmp_path / "copy.db")
    )
    while not copying.done() or number < 40:
        await asyncio.gather(
            *(debates.create(requested(f"d{n}"), f"k{n}") for n in range(number, number + 20))
        )
        number += 20
    await copying
    await db.close()
    with closing(sqlite3.connect(tmp_path / "copy.db")) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        held = conn.execute("SELECT count(*), (SELECT count(*) FROM event) FROM debate").fetchone()
    assert held[0] == held[1] <= number


RELEASES = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}


@pytest.mark.parametrize("release", sorted(RELEASES))
async def test_a_database_of_each_release_opens_with_all_it_holds(
    database_address: str, release: str
) -> None:
    kept = RELEASES[release]
    old_database(database_address, kept["migration"], kept["rows"])
    db = await open_database(database_address)
    (stored,) = kept["rows"]["debate"]
    line = await Debates(db).get(stored["id"])
    assert line is not None
    assert (line.title, line.status) == (stored["title"], stored["status"])
    events = await Debates(db).load(line.id)
    debate = replay(events)
    assert (debate.count, debate.status) == (stored["events"], "finished")
    stored_kinds = [row["kind"] for row in kept["rows"]["event"]]
    assert [kind_of(type(event)) for event in events] == stored_kinds
    assert all(not isinstance(event, UnknownEvent) for event in events)
    await db.close()


@pytest.mark.parametrize(
    ("version", "least", "why"),
    [
        ("0009", schema.FIRST, "before the first release"),
        ("9999", "9998", "written by a newer release: update debatebot"),
    ],
)
def test_a_database_that_this_release_does_not_know_is_left_alone(
    tmp_path: Path, version: str, least: str, why: str
) -> None:
    file = tmp_path / "debate.db"
    schema.upgrade(database_url(str(file)))
    with closing(sqlite3.connect(file)) as conn, conn:
        conn.execute("UPDATE alembic_version SET version_num = ?", (version,))
        conn.execute("UPDATE compatible SET least = ?", (least,))
    with pytest.raises(BadInput, match=why):
        schema.upgrade(database_url(str(file)))


async def test_tables_of_a_newer_release_that_runs_beside_this_one_are_used(
    database_address: str, caplog: pytest.LogCaptureFixture
) -> None:
    await (await open_database(database_address)).close()
    engine = create_engine(database_url(database_address), begin="BEGIN", size=1)
    with engine.begin() as conn:
        conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    for migrates in (True, False):
        db = await open_database(database_address, migrates=migrates)
        await Debates(db).create(requested(f"d{migrates}"), f"k{migrates}")
        await db.close()
    with engine.begin() as conn:
        conn.execute(
            sa.text("UPDATE alembic_version SET version_num = :head"), {"head": schema.HEAD}
        )
    engine.dispose()
    knows = f"(9999, this one knows {schema.HEAD})"
    text = f"The database is of a newer release {knows}: update soon."
    assert [r.getMessage() for r in caplog.records if r.name == schema.__name__] == [text] * 2


async def test_where_nobody_migrates_by_themselves_old_tables_are_left_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "old.db")
    with pytest.raises(BadInput) as empty:
        await open_database(file, migrates=False)
    schema.upgrade(database_url(file))
    monkeypatch.setattr(schema, "HEAD", "9999")
    monkeypatch.setattr(schema, "NEEDED", "9999")
    with pytest.raises(BadInput) as old:
        await open_database(file, migrates=False)
    how = (
        "and this release needs {}. Nobody migrates by themselves here (DEBATE_MIGRATE=0): run "
        "`debate db upgrade` once, before this release starts."
    )
    assert str(empty.value) == f"The database is empty {how.format(NEEDED)}"
    assert str(old.value) == f"The database is at {HEAD} {how.format('9999')}"
    monkeypatch.undo()
    await (await open_database(file, migrates=False)).close()


def test_somebody_elses_tables_are_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as conn, conn:
        conn.execute("CREATE TABLE event (name TEXT)")
    file.chmod(0o600)
    with pytest.raises(BadInput, match="but not of its making"):
        schema.upgrade(database_url(str(file)))


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("{tmp}/missing/x.db", "cannot be written: No such file.*DEBATE_DATABASE_URL=FILE"),
        ("{tmp}/text.db", "cannot be used as the database: file is not a database"),
        ("{tmp}", "is no regular file"),
        ("sqlite://", "SQLite needs a file"),
        (":memory:", "SQLite needs a file: a database in memory would forget"),
        ("sqlite:///:memory:", "a database in memory would forget"),
        ("sqlite:///file:x?mode=memory&cache=shared&uri=true", "a database in memory"),
        ("mysql://localhost/x", "mysql is no database that debatebot knows"),
        ("my sql://x", "cannot be read"),
    ],
)
async def test_a_wrong_address_is_told_in_one_line(tmp_path: Path, address: str, says: str) -> None:
    (tmp_path / "text.db").write_text(
        "This is no database, only some text that stands in its place." * 20
    )
    (tmp_path / "text.db").chmod(0o600)
    with pytest.raises(BadInput, match=says):
        await open_database(address.format(tmp=tmp_path))


async def test_a_server_that_is_away_is_told_without_its_password() -> None:
    with pytest.raises(CouldNotFinish) as caught:
        await open_database("postgresql+psycopg://me:hunter2@127.0.0.1:1/debates")
    assert "postgresql+psycopg://me:***@127.0.0.1:1/debates does not answer" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("form", ["{file}", "sqlite:///{file}", "sqlite+aiosqlite:///{file}"])
def test_every_way_to_write_a_file_means_the_same(tmp_path: Path, form: str) -> None:
    file = str(tmp_path / "x.db")
    assert str(database_url(form.format(file=file))) == f"sqlite+pysqlite:///{file}"


def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    schema.upgrade(database_url(str(tmp_path / "x.db")))
    assert stat.S_IMODE((tmp_path / "x.db").stat().st_mode) == 0o600


async def test_sqlite_runs_under_the_safe_settings(tmp_path: Path) -> None:
    db = await open_database(str(tmp_path / "x.db"))

    def settings(conn: sa.Connection) -> list[object]:
        return [
            conn.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
        ]

    assert await db.read(settings) == await db.write(settings) == ["wal", 2, 10_000, 1]
    await db.close()


def test_a_backup_is_private_and_where_it_cannot_be_made_is_said(tmp_path: Path) -> None:
    schema.upgrade(database_url(str(tmp_path / "x.db")))
    schema.backup(str(tmp_path / "x.db"), tmp_path / "copy.db")
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    with pytest.raises(BadInput, match="is there already"):
        schema.backup(str(tmp_path / "x.db"), tmp_path / "copy.db")
    with pytest.raises(BadInput, match="There is no database"):
        schema.backup(str(tmp_path / "y.db"), tmp_path / "z.db")
    with pytest.raises(BadInput, match="pg_dump"):
        schema.backup("postgresql://localhost/x", tmp_path / "z.db")
    with pytest.raises(BadInput, match=r"z\.db cannot be written: No such file.* Name a file in"):
        schema.backup(str(tmp_path / "x.db"), tmp_path / "nosuch" / "z.db")


def test_a_backup_that_finds_no_room_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    schema.upgrade(database_url(str(tmp_path / "x.db")))
    files = set(tmp_path.iterdir())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, before[1]))
    try:
        with pytest.raises(CouldNotFinish, match=r"not be written to .+copy\.db: .+ with room"):
            schema.backup(str(tmp_path / "x.db"), tmp_path / "copy.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert set(tmp_path.iterdir()) == files


def test_a_database_that_is_up_to_date_never_loads_alembic(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from storage.schema import open_database\n"
        "async def main():\n    for _ in range(2): await (await "
        f"open_database({str(tmp_path / 'x.db')!r})).close()\n"
        "asyncio.run(main()); print(sorted(m for m in sys.modules if m in ('alembic', 'psycopg', "
        "'cryptography')))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert run.stdout == "[]\n"


def test_stored_times_must_be_aware() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        Moment().process_bind_param(datetime(2026, 1, 1), dialect())  # noqa: DTZ001 (the fault that is tested)


async def test_a_copy_takes_the_place_of_what_stood_there_while_nobody_runs(tmp_path: Path) -> None:
    file, copy = str(tmp_path / "x.db"), tmp_path / "copy.db"
    database = await schema.open_database(file)
    await Debates(database).create(requested("d1"), "k1")
    schema.backup(file, copy)
    await Debates(database).create(requested("d2"), "k2")
    with (
        RunnerLock(tmp_path / "x.db"),
        pytest.raises(BadInput, match=r"^Another debatebot .+ is running"),
    ):
        schema.restore(file, copy)
    kept = schema.restore(file, copy)
    with pytest.raises(StoreAway, match="its file was replaced or removed"):
        await Debates(database).create(requested("d3"), "k3")
    await database.close()
    held = {}
    for name in (file, str(kept)):
        again = await schema.open_database(name)
        held[name] = {line.id for line in await Debates(again).find_recent()}
        await again.close()
    assert held == {file: {"d1"}, str(kept): {"d1", "d2"}}
    (tmp_path / "bad").write_text("x")
    with pytest.raises(BadInput, match="is no copy of a database of debatebot"):
        schema.restore(file, tmp_path / "bad")


def test_an_address_with_several_hosts_is_read_by_everybody() -> None:
    url = database_url("postgresql://ann@one:5001,two/debates?target_session_attrs=read-write")
    _, args = url.get_dialect()().create_connect_args(url)
    assert (args["host"], args["port"]) == ("one,two", "5001,5432")
    words = set(libpq(url).split())
    assert words >= {
        "host=one,two", "port=5001,5432", "user=ann", "dbname=debates",
        "target_session_attrs=read-write", "tcp_user_timeout=10000",
    }  # fmt: skip
    with pytest.raises(BadInput, match="cannot be read"):
        database_url("postgresql://one:port/debates")
