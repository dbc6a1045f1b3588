"""Two releases at once: what a debate needs of whoever plays it, and the oldest release that may
use these tables.

Before the new code. Older releases write the default and read neither.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    needs: sa.Column[int] = sa.Column("needs", sa.Integer(), server_default="1", nullable=False)
    op.add_column("debate", needs)
    made = op.create_table(
        "compatible",
        sa.Column("least", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("least", name="pk_compatible"),
    )
    op.bulk_insert(made, [{"least": revision}])
