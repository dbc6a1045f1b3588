"""How one process tells the others, over PostgreSQL, that a debate has news.

``storage.commands`` listens.
"""

from __future__ import annotations

import sqlalchemy as sa

CHANNEL = "debates"
_NOTIFY = sa.text("SELECT pg_notify(:channel, :debate)")


def notify(conn: sa.Connection, debate: str) -> None:
    """Within a transaction: every listening replica is told of the debate when it commits.

    Beside SQLite nobody needs to be.
    """
    if conn.dialect.name == "postgresql":
        conn.execute(_NOTIFY, {"channel": CHANNEL, "debate": debate})
