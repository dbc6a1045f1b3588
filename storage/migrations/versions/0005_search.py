"""What can be found of each debate, and the index of its words."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from storage.words import create_index

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_index("ix_debate_updated_at", "debate", ["updated_at"])
    op.create_table(
        "debate_text",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_debate_text"),
        sa.UniqueConstraint("debate_id", name="uq_debate_text_debate_id"),
        sa.ForeignKeyConstraint(
            ["debate_id"],
            ["debate.id"],
            name="fk_debate_text_debate_id_debate",
            ondelete="CASCADE",
        ),
    )
    create_index(op.get_bind())
