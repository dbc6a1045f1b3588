"""The forge's id of a bound repository, by which it is known after a rename or a transfer, and the
names that it had before.

Before the new code: older releases write neither, and bindings without an id get it with the next
event or poll.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
phase = "expand"


def upgrade() -> None:
    op.add_column(
        "binding", sa.Column("repository_id", sa.Text(), nullable=False, server_default="")
    )
    op.add_column("binding", sa.Column("former", sa.JSON(), nullable=False, server_default="{}"))
