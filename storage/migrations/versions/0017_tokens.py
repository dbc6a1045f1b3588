"""Tokens of programs, and the debates that they asked for.

Before the new code: older releases do not look at either table.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "token",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("purse", sa.Double(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("secret_hash", name="uq_token_secret_hash"),
    )
    op.create_table(
        "token_start",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("asked_hash", sa.Text(), nullable=False),
        sa.Column("budget", sa.Double(), nullable=False),
        sa.Column("debate", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("token", "key", name="pk_token_start"),
    )
