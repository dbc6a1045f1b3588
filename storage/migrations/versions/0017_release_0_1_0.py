"""The tables of release 0.1.0, as SQL that never changes (``0017_release_0_1_0.sql``).

Nothing before was released, so the numbers begin here. Every later migration is kept, and tested on
a database of each release (``tests/storage/releases``).
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from storage.word_index import create_index

revision = "0017"
down_revision: str | None = None
_ON_SQLITE = {
    "TIMESTAMP WITH TIME ZONE": "DATETIME",
    "DOUBLE PRECISION": "DOUBLE",
    "SERIAL": "INTEGER",
    "BYTEA": "BLOB",
    "DEFAULT false": "DEFAULT 0",
}


def upgrade() -> None:
    connection = op.get_bind()
    text = Path(__file__).with_suffix(".sql").read_text("utf-8")
    if connection.dialect.name == "sqlite":
        for there, here in _ON_SQLITE.items():
            text = text.replace(there, here)
    for statement in text.split(";\n"):
        if statement.strip():
            connection.exec_driver_sql(statement)
    create_index(connection)
    compatible = sa.table("compatible", sa.column("least", sa.Text()))
    op.bulk_insert(compatible, [{"least": revision}])
