"""The person who gave an installation of the GitHub App to its workspace, by their login on the
forge: what the workspace may read is checked again with GitHub for this person.

Before the new code: older releases write no giver, and such an installation is linked anew.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
phase = "expand"


def upgrade() -> None:
    op.add_column(
        "forge_installation", sa.Column("giver", sa.Text(), nullable=False, server_default="")
    )
