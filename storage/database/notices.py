"""Notifies other processes, over PostgreSQL, that a debate has news. ``storage.commands``
listens.
"""

from __future__ import annotations

import sqlalchemy as sa

CHANNEL = "debates"
_NOTIFY = sa.text("SELECT pg_notify(:channel, :debate)")


def notify(conn: sa.Connection, debate: str) -> None:
    """Notifies every listening replica of the debate when the transaction commits; beside SQLite
    nobody needs it.
    """
    if conn.dialect.name == "postgresql":
        conn.execute(_NOTIFY, {"channel": CHANNEL, "debate": debate})
