"""What is to be deleted on platforms because a debate was forgotten.

Before the new code, which writes it. Older releases do not read it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def upgrade() -> None:
    op.create_table(
        "removal",
        _text("key"),
        _text("debate_id"),
        _text("kind"),
        _text("target"),
        _text("state"),
        _text("claimed_by"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        _text("reason"),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_removal_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_removal"),
    )
    op.create_index("ix_removal_state_next_at", "removal", ["state", "next_at"])
    op.create_index("ix_removal_debate_id", "removal", ["debate_id"])
