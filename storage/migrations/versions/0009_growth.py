"""Indexes that hold all that a sum or a list reads, so that no text is read for it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_EMPTIED = """UPDATE debate SET emptied = :yes WHERE EXISTS (
    SELECT 1 FROM event WHERE event.debate_id = debate.id AND event.kind = 'TextsDeleted'
)"""


def upgrade() -> None:
    emptied: sa.Column[bool] = sa.Column(
        "emptied", sa.Boolean(), server_default=sa.false(), nullable=False
    )
    op.add_column("debate", emptied)
    op.get_bind().execute(sa.text(_EMPTIED), {"yes": True})
    op.create_index("ix_debate_emptied_updated_at", "debate", ["emptied", "updated_at"])
    op.drop_index("ix_llm_call_at", "llm_call")
    spent = ["at", "state", "model", "usd", "debate_id"]
    op.create_index("ix_llm_call_spent", "llm_call", spent)
    op.create_index("ix_outcome_held_concluded_at", "outcome", ["held", "concluded_at"])
    op.create_index("ix_debate_text_repository_number", "debate_text", ["repository", "number"])
