"""What calls in flight and closing turns may cost, for the budgets that all debates share."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("llm_call", sa.Column("estimate", sa.Double(), nullable=True))
    op.add_column("debate", sa.Column("reserve", sa.Double(), nullable=False, server_default="0"))
