"""Sums of calls by day: what a page of costs reads for days that are over. The bot fills them, a
day at a time, from the calls, which stay.

Before the new code: older releases neither write nor read them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
phase = "expand"


def upgrade() -> None:
    op.create_table(
        "day_spent",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("unpriced", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_day_spent_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("day", "debate_id", "model", name="pk_day_spent"),
    )
    op.create_index("ix_day_spent_debate_id", "day_spent", ["debate_id"])
