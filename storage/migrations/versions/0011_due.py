"""What is due, waits or is held is found by indexes of these rows alone, and posts by their debate.

Before the new code, which needs nothing of it: older releases find the same rows.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_index("ix_outbox_debate_id", "outbox", ["debate_id"])
    for name, table, columns, where in (
        ("ix_outbox_uncertain", "outbox", ["debate_id"], "state = 'uncertain'"),
        ("ix_debate_owner", "debate", ["owner"], "owner != ''"),
        ("ix_debate_wake_at", "debate", ["wake_at"], "wake_at IS NOT NULL"),
        ("ix_signal_waiting", "signal", ["applied_seq", "debate_id"], "applied_seq IS NULL"),
    ):
        few = sa.text(where)
        op.create_index(name, table, columns, sqlite_where=few, postgresql_where=few)
