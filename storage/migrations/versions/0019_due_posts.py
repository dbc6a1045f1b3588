"""An index by which the posts that are due are found place by place, however many others wait.

Before the new code: older releases do not ask for it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
phase = "expand"
_OPEN = sa.text("state IN ('pending', 'sending')")


def upgrade() -> None:
    op.create_index(
        "ix_outbox_due",
        "outbox",
        ["place", "next_at"],
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
