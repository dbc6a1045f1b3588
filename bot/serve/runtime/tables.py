"""The queue's own tables, as procrastinate defines them."""

from __future__ import annotations

from core.debate.errors import BadInput, CouldNotFinish

_LOCK = 0x6465_6261_7466


def make_queue_tables(address: str, *, makes: bool = True) -> bool:
    """Makes missing tables, once even if several processes try; returns True if it made them.
    ``address`` is the database, as libpq reads it. Raises ``CouldNotFinish``, and ``BadInput`` if
    they are missing and it may not ``make`` them.
    """
    import psycopg
    from procrastinate.schema import SchemaManager

    try:
        with psycopg.connect(address) as conn:
            conn.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            row = conn.execute("SELECT to_regclass('procrastinate_jobs')").fetchone()
            if row is not None and row[0] is not None:
                return False
            if not makes:
                raise BadInput(
                    "The job queue's tables are missing, and nobody migrates by themselves here "
                    "(DEBATE_MIGRATE=0): run `debate db upgrade` once."
                )
            conn.execute(SchemaManager.get_schema())
            return True
    except psycopg.Error as error:
        raise CouldNotFinish(f"The job queue can't be set up in the database: {error}") from error
