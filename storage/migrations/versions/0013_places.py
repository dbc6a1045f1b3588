"""The newest messages of a place are found without reading all of them.

Before the new code, which finds the same without it.
"""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_index("ix_message_place_at", "message", ["place", "at"])
