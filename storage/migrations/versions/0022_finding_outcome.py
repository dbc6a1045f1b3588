"""What became of each finding, a projection of the events, which the bot fills as debates continue;
and when it looks at a merged change.

Before the new code: older releases neither write nor read them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
phase = "expand"


def upgrade() -> None:
    op.create_table(
        "finding_outcome",
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("change", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("demanded", sa.Boolean(), nullable=False),
        sa.Column("stated", sa.Double(), nullable=False),
        sa.Column("forecast", sa.Double(), nullable=True),
        sa.Column("became", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"],
            ["debate.id"],
            name="fk_finding_outcome_debate_id_debate",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("debate_id", "mark", name="pk_finding_outcome"),
    )
    for column in ("repository", "template"):
        op.create_index(f"ix_finding_outcome_{column}_at", "finding_outcome", [column, "at"])
    op.add_column(
        "followed_change", sa.Column("judge_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.create_index("ix_followed_change_judge_at", "followed_change", ["judge_at"])
