"""Connects to PostgreSQL, straight to the server or through a pooler that lends a connection for
each transaction (pgbouncer's ``pool_mode = transaction``).

Such a pooler preserves nothing of a session: a statement prepared in one transaction is unknown, or
another one's, in the next, LISTEN receives nothing, and a SET applies to other clients. So nothing
is prepared through it, settings are made for one transaction, and work that needs a session uses a
separate direct address. Nothing is sent as a start-up option, which poolers refuse.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from core.debate.errors import BadInput, CouldNotFinish

if TYPE_CHECKING:
    from psycopg import Connection

_ROUNDS = 8
"""The number of tries to detect a pooler: another client may take the connection that would have
shown it, but not every time.
"""
_WHERE = (
    "SELECT (SELECT oid FROM pg_database WHERE datname = current_database()), "
    "pg_postmaster_start_time()"
)
WRITER = 0x64656261
"""The advisory lock that every write transaction takes first, so that the writers of all replicas
follow each other. An earlier release knows it as the lock of its audit log.
"""
_LIVELY = {
    "connect_timeout": 10,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""The options that keep a connection alive, in seconds, the last one in milliseconds: without them
a caller waits a quarter of an hour for a server that vanished from the network.
"""
_AT_MOST = (
    b"SELECT set_config(name, '%d', false) FROM pg_settings WHERE name = 'transaction_timeout'"
)
NO_END = "SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout'"
"""Lets the current transaction take as long as it needs: a migration of a large database."""
_SEVERAL = re.compile(r"(\w+(?:\+\w+)?://(?:[^@/]*@)?)([^/?@]*,[^/?@]*)(/[^?]*)?(?:\?(.*))?")


def with_hosts_apart(text: str) -> str:
    """Splits an address with several hosts (``//HOST:PORT,HOST:PORT/NAME``, which libpq tries in
    turn) as SQLAlchemy reads it, and leaves any other one as it is.
    """
    match = _SEVERAL.fullmatch(text)
    if match is None:
        return text
    begin, hosts, name, query = match.groups()
    apart = [re.fullmatch(r"(.*?)(?::(\d+))?", one) for one in hosts.split(",")]
    names = ",".join(one[1].strip("[]") for one in apart if one)
    ports = ",".join(one[2] or "5432" for one in apart if one)
    return f"{begin}{name or '/'}?host={names}&port={ports}{f'&{query}' if query else ''}"


def libpq(url: sa.URL) -> str:
    """Returns the address as libpq, psycopg and procrastinate read it."""
    from psycopg.conninfo import make_conninfo

    dialect = url.get_dialect()()
    _, address = dialect.create_connect_args(url)
    address.pop("context", None)  # SQLAlchemy's own
    return str(make_conninfo(**{**_LIVELY, **address}))


def connect_args(url: sa.URL, *, pooled: bool) -> dict[str, Any]:
    """Returns psycopg's options for each connection; those in the address take precedence."""
    lively = {name: value for name, value in _LIVELY.items() if name not in url.query}
    return lively | ({"prepare_threshold": None} if pooled else {})


def set_rules(engine: sa.Engine, lock_ms: int, *, pooled: bool, reads: bool) -> None:
    """Sets the timeouts and the time zone: once for a connection to the server, for each
    transaction if a pooler lends the connection. A transaction that writes then takes the lock
    ``WRITER``.

    PostgreSQL ends the session of a process that stops inside a transaction, before those who wait
    for its lock give up. It does not call a session idle whose process froze while it was sending a
    statement, so from 17 on no transaction may take longer than three such waits. An engine that
    only ``reads`` has no transaction, so it waits as long as the server lets it.
    """
    idle = f"idle_in_transaction_session_timeout = {lock_ms // 3}"
    timeouts = f"lock_timeout = {lock_ms}", idle

    def connected(connection: Connection, _: object) -> None:
        before, connection.autocommit = connection.autocommit, True
        settings = "; ".join(f"SET {one}" for one in (*timeouts, "timezone = 'UTC'"))
        connection.execute(settings.encode())
        connection.execute(_AT_MOST % (3 * lock_ms))
        connection.autocommit = before

    def begun(connection: sa.Connection) -> None:
        if pooled:
            connection.exec_driver_sql("; ".join(f"SET LOCAL {one}" for one in timeouts))
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER})")

    if not pooled:
        sa.event.listen(engine, "connect", connected)
    if not reads:
        sa.event.listen(engine, "begin", begun)


def require_session(conn: sa.Connection, url: sa.URL, name: str) -> None:
    """Checks that ``conn`` keeps its server's connection over its transactions; ``name`` is the
    variable that holds ``url``. Raises ``BadInput``.
    """
    driver: Any = conn.connection.driver_connection
    if driver.info.backend_pid == conn.scalar(sa.text("SELECT pg_backend_pid()")):
        return  # a pooler returns its own number
    if _lends(url):
        raise BadInput(
            f"{name} leads through a pooler that lends a connection for each transaction "
            "(pgbouncer's pool_mode = transaction): name PostgreSQL's own address in "
            "DEBATE_DATABASE_DIRECT_URL, over which the bot listens and hands out debates."
        )


def _lends(url: sa.URL) -> bool:
    """True if the address leads to a pool that moves clients between server connections: a
    transaction ran on another client's connection, or one client's connection changed.
    """
    import psycopg

    def pid(conn: Connection) -> object:
        return conn.execute("SELECT pg_backend_pid()").fetchone()

    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": None}
    address = libpq(url)
    with psycopg.connect(address, **options) as one, psycopg.connect(address, **options) as two:
        for _ in range(_ROUNDS):
            first = pid(one)
            with two.transaction():
                if pid(two) == first or pid(one) != first:
                    return True
    return False


def require_same(url: sa.URL, direct: sa.URL) -> None:
    """Checks that both lead to one database. Raises ``BadInput``, or ``CouldNotFinish`` if one does
    not answer.
    """
    import psycopg

    servers = []
    for address in (url, direct):
        try:
            with psycopg.connect(libpq(address), prepare_threshold=None) as conn:
                servers.append(conn.execute(_WHERE).fetchone())
        except psycopg.Error as error:
            printable = address.render_as_string(hide_password=True)
            raise CouldNotFinish(f"The database {printable} does not answer: {error}") from error
    if servers[0] != servers[1]:
        raise BadInput(
            "DEBATE_DATABASE_URL and DEBATE_DATABASE_DIRECT_URL lead to two databases: the second "
            "is the first one's own address, past its pooler."
        )
