"""Opens a database, bringing it to today's tables first, and copies it.

A new database is made from the tables at once, without loading alembic; a test holds the migrations
to the same result. An older one is migrated over a separate engine with SQLite's foreign keys
OFF, because rebuilding a parent table with them ON deletes every child row.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime
from itertools import count
from pathlib import Path

import sqlalchemy as sa

from core.debate.errors import BadInput, CouldNotFinish
from storage.database import Database, database_url, sqlite_file
from storage.database.clock import utc_now
from storage.database.engines import create_engine, write_ahead
from storage.database.files import create_private, make_folder
from storage.database.lock import RunnerLock
from storage.database.objects import require_ours
from storage.database.servers import NO_END, require_same, require_session
from storage.tables import COMPATIBLE, METADATA
from storage.word_index import create_index

logger = logging.getLogger(__name__)
HEAD = "0024"
"""The newest migration; a test holds it to the folder ``migrations``."""
NEEDED = "0024"
"""The oldest migration with which this release runs."""
LEAST = "0023"
"""The oldest migration whose release may use a database that this release made."""
FIRST = "0017"
"""The migration of the first release."""

_PATIENCE_MS = 60_000
"""How long a starting replica waits for a migrating replica, on PostgreSQL."""
MIGRATIONS = Path(__file__).parent / "migrations"


async def open_database(
    url: str,
    now: Callable[[], datetime] = utc_now,
    direct: str = "",
    *,
    migrates: bool = True,
) -> Database:
    """Opens the database at ``url``. Creates it or brings it up to date first if ``migrates``,
    otherwise checks it.

    ``direct`` is PostgreSQL's own address if ``url`` leads through a pooler. Raises ``BadInput`` or
    ``CouldNotFinish`` with what to do.
    """
    parsed = database_url(url)
    past = direct_url(parsed, direct)
    await asyncio.to_thread(upgrade, parsed, past, migrates=migrates)
    return Database(parsed, now, past)


def direct_url(url: sa.URL, direct: str) -> sa.URL | None:
    """Returns the direct address, None if none is named. Raises ``BadInput`` unless both name
    PostgreSQL.
    """
    if not direct:
        return None
    parsed = database_url(direct)
    if sqlite_file(url) is not None or sqlite_file(parsed) is not None:
        raise BadInput(
            "DEBATE_DATABASE_DIRECT_URL is PostgreSQL's own address, for where DEBATE_DATABASE_URL "
            "leads through a pooler. SQLite needs none."
        )
    return parsed


def upgrade(through: sa.URL, direct: sa.URL | None = None, *, migrates: bool = True) -> bool:
    """Creates or migrates the tables, past a pooler; True if anything changed.

    If it does not ``migrate``, it only checks whether this release runs with the present tables.
    Raises ``BadInput`` (no such file, not ours, a pooler that can't be used so) or
    ``CouldNotFinish`` (no answer).
    """
    url = direct or through
    name = "DEBATE_DATABASE_DIRECT_URL" if direct else "DEBATE_DATABASE_URL"
    if direct:
        require_same(through, direct)
    file = sqlite_file(url)
    if file is not None:
        _make_database_file(file)
    engine = create_engine(
        url, begin="BEGIN IMMEDIATE", size=1, foreign_keys=False, lock_ms=_PATIENCE_MS
    )
    try:
        with engine.begin() as conn:
            if file is None:
                require_session(conn, url, name)
            else:
                newer = (current_version(conn) or "") > HEAD
                require_ours(lambda sql: conn.exec_driver_sql(sql).fetchall(), newer=newer)
            changed = _upgrade(conn, migrates=migrates)
        if file is not None:
            write_ahead(engine)
    except sqlite3.Error as err:
        raise BadInput(f"{file} cannot be used as the database: {err}.") from err
    except sa.exc.DBAPIError as err:
        printable = url.render_as_string(hide_password=True)
        if file is not None:
            raise BadInput(f"{file} cannot be used as the database: {err.orig}.") from err
        raise CouldNotFinish(f"The database {printable} does not answer: {err.orig}") from err
    finally:
        engine.dispose()
    return changed


def _upgrade(conn: sa.Connection, *, migrates: bool) -> bool:
    version = current_version(conn)
    if version == HEAD:
        return False
    if version is not None and version > HEAD:
        _require_compatible(conn, version)
        return False
    if version is not None and version < FIRST:
        raise BadInput(
            "The database was made before the first release, whose tables are others: choose "
            "another database."
        )
    if not migrates:
        _require_least(version)
        return False
    if version is None:
        METADATA.create_all(conn, checkfirst=False)
        create_index(conn)
        conn.execute(sa.insert(COMPATIBLE).values(least=LEAST))
        conn.exec_driver_sql(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL CONSTRAINT "
            "alembic_version_pkc PRIMARY KEY)"
        )
        conn.execute(
            sa.text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": HEAD}
        )
    else:
        migrate(conn, HEAD)
    return True


def _require_compatible(conn: sa.Connection, version: str) -> None:
    """Checks that this release may use the tables of a newer release that runs at the same time.
    Raises ``BadInput``.
    """
    least = conn.execute(sa.select(COMPATIBLE.c.least)).scalar()
    if least is None or least > HEAD:
        raise BadInput(
            "The database was written by a newer release: update debatebot, or choose another "
            "database."
        )
    logger.warning(
        "The database is of a newer release (%s, this one knows %s): update soon.",
        version,
        HEAD,
        extra={"action": "schema_newer"},
    )


def _require_least(version: str | None) -> None:
    """Raises ``BadInput`` if the tables are older than this release needs."""
    if version is None or version < NEEDED:
        text = "is empty" if version is None else f"is at {version}"
        raise BadInput(
            f"The database {text} and this release needs {NEEDED}. Nobody migrates by themselves "
            "here (DEBATE_MIGRATE=0): run `debate db upgrade` once, before this release starts."
        )
    logger.warning(
        "The database is at %s, this release knows %s: run `debate db upgrade`.",
        version,
        HEAD,
        extra={"action": "schema_older"},
    )


def current_version(conn: sa.Connection) -> str | None:
    """Returns the database's migration, None for an empty database. Raises ``BadInput`` for a
    database that is not ours.
    """
    tables = set(sa.inspect(conn).get_table_names())
    if "alembic_version" in tables:
        version = conn.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
        if version is not None:
            return str(version)
    if tables & set(METADATA.tables):
        raise BadInput(
            "The database holds tables of debatebot's names, but not of its making: choose "
            "another one."
        )
    return None


def migrate(conn: sa.Connection, revision: str) -> None:
    """Runs the migrations up to ``revision`` in the connection's transaction, however long they
    take; foreign keys must be off and are checked at the end.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = conn
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql(NO_END)
    try:
        command.upgrade(config, revision)
    except CommandError as err:
        raise BadInput(
            "The database was written by a newer release: update debatebot, or choose another "
            "database."
        ) from err
    if conn.dialect.name == "sqlite" and (
        broken := conn.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    ):
        raise CouldNotFinish(
            f"The migration would leave {len(broken)} rows without their parent; nothing was "
            "changed."
        )


def backup(url: str, to: Path) -> None:
    """Makes a consistent copy of a SQLite database under a live writer.

    It refuses to overwrite; PostgreSQL has its own tools. Raises ``CouldNotFinish``, and leaves no
    half copy, if the copy can't be written.
    """
    source = sqlite_file(database_url(url))
    if source is None:
        raise BadInput("Back up PostgreSQL with pg_dump; this command copies SQLite files.")
    if not source.exists():
        raise BadInput(f"There is no database at {source}.")
    if to.exists() or to.is_symlink():
        raise BadInput(f"{to} is there already: choose another name.")
    try:
        create_private(to)
    except OSError as err:
        raise BadInput(
            f"{to} cannot be written: {err.strerror}. Name a file in a folder that you may write "
            "to and that has room for the whole database."
        ) from err
    try:
        with closing(sqlite3.connect(source, isolation_level=None)) as conn:
            conn.execute("PRAGMA busy_timeout=10000")
            require_ours(lambda sql: conn.execute(sql).fetchall(), newer=True)
            conn.execute("VACUUM INTO ?", (str(to),))
    except (OSError, sqlite3.Error) as err:
        with suppress(OSError):
            for half in (to, to.with_name(f"{to.name}-journal")):
                half.unlink(missing_ok=True)
        why = err.strerror if isinstance(err, OSError) else err
        raise CouldNotFinish(
            f"The copy could not be written to {to}: {why}. No part of it was left. Choose a place "
            "with room for the whole database."
        ) from err


def restore(url: str, copy: Path) -> Path | None:
    """Replaces a SQLite database with a copy and returns the path of the old one. Nothing may run
    on it meanwhile. Posts that waited when the copy was made may have been sent since: the bot
    looks for them before it sends them.

    Raises ``BadInput`` if a bot runs or ``copy`` is no copy of a database.
    """
    file = sqlite_file(database_url(url))
    if file is None:
        raise BadInput("Restore PostgreSQL with pg_restore; this command restores SQLite files.")
    with RunnerLock(file):
        fresh = file.with_name(f"{file.name}.restoring")
        fresh.unlink(missing_ok=True)
        _make_database_file(fresh)
        try:
            _copy_whole(copy, fresh)
            kept = _put_aside(file)
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)
    return kept


def _copy_whole(copy: Path, to: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as source:
            require_ours(lambda sql: source.execute(sql).fetchall(), newer=True)
            if source.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise BadInput(f"{copy} is damaged: take another copy.")
            source.execute("SELECT version_num FROM alembic_version").fetchone()
            with closing(sqlite3.connect(to, isolation_level=None)) as conn:
                source.backup(conn)
                _doubt_posts(conn)
    except sqlite3.Error as err:
        raise BadInput(f"{copy} is no copy of a database of debatebot: {err}.") from err


def _doubt_posts(conn: sqlite3.Connection) -> None:
    """Marks the waiting posts as possibly delivered."""
    conn.execute(
        "UPDATE outbox SET state = 'sending', first_attempt_at = "
        "coalesce(first_attempt_at, created_at) WHERE state = 'pending'"
    )
    for sql in (
        "UPDATE work SET state = 'sending' WHERE state = 'pending'",
        "UPDATE forge_post SET state = 'sending' WHERE state = 'pending'",  # of an older release
    ):
        with suppress(sqlite3.OperationalError):  # the copy has one of the two tables
            conn.execute(sql)


def _put_aside(file: Path) -> Path | None:
    """Moves the file to a free name in the same folder, with the content of its write-ahead log,
    and returns that name.
    """
    if not file.exists():
        return None
    kept = next(
        path
        for number in count(1)
        if not (path := file.with_name(f"{file.name}.before-{number}")).exists()
    )
    with suppress(sqlite3.Error), closing(sqlite3.connect(file)) as conn:  # it may be damaged
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    file.replace(kept)
    for suffix in ("-wal", "-shm"):
        beside = file.with_name(f"{file.name}{suffix}")
        if beside.exists():
            beside.replace(kept.with_name(f"{kept.name}{suffix}"))
    return kept


def _make_database_file(file: Path) -> None:
    try:
        make_folder(file)
        create_private(file)
    except OSError as err:
        raise BadInput(
            f"{file} cannot be written: {err.strerror}. Name another place: "
            "DEBATE_DATABASE_URL=FILE."
        ) from err
