"""Indexes by which the newest outcomes, and the newest of one format, are read without the others.

Before the new code. Older releases run with them.
"""

from __future__ import annotations

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    newest = ["concluded_at", "debate_id", "place"]
    op.create_index("ix_outcome_concluded_at_debate_id_place", "outcome", newest)
    of_format = ["format", "concluded_at", "debate_id"]
    op.create_index("ix_outcome_format_concluded_at_debate_id", "outcome", of_format)
