"""Which keys a running bot opens sealed secrets with, for as long as it runs.

Before the new code. Older releases write the default: of them nobody knows it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    opens: sa.Column[str] = sa.Column("opens", sa.JSON(), server_default="[]", nullable=False)
    op.add_column("running_bot", opens)
