"""Webhooks: the addresses of programs that receive news of debates. The outbox holds their
messages.

Before the new code: older releases do not look at the table, and send nothing to its places.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
phase = "expand"


def upgrade() -> None:
    op.create_table(
        "hook",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("kinds", sa.JSON(), nullable=False),
        sa.Column("full", sa.Boolean(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("rotated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_hook"),
    )
    op.create_index("ix_hook_place", "hook", ["place"])
