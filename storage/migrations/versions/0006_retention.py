"""Texts that are deleted leave their hash; workspaces that removed the bot."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("event", sa.Column("digest", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "left_workspace",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("workspace", name="pk_left_workspace"),
    )
