"""What people sort debates by: department, priority, target date."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "debate_label",
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"],
            ["debate.id"],
            name="fk_debate_label_debate_id_debate",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("debate_id", "name", name="pk_debate_label"),
    )
    op.create_index(
        "ix_debate_label_name_value_debate_id", "debate_label", ["name", "value", "debate_id"]
    )
