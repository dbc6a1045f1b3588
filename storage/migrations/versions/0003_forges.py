"""What forges tell and are told: events, followed changes, posts, installations, polls; rules of
bindings.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("binding", sa.Column("rules", sa.JSON(), nullable=False, server_default="{}"))
    _events()
    _changes()
    _posts()
    _installations()


def _text(name: str, *, key: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False, primary_key=key)


def _events() -> None:
    op.create_table(
        "forge_event",
        _text("key"),
        sa.Column("payload", sa.JSON(), nullable=False),
        _text("state"),
        _text("claimed_by"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        _text("reason"),
        sa.PrimaryKeyConstraint("key", name="pk_forge_event"),
    )
    op.create_index("ix_forge_event_state_next_at", "forge_event", ["state", "next_at"])
    op.create_index("ix_forge_event_at", "forge_event", ["at"])
    op.create_table(
        "watch",
        _text("host"),
        _text("repository"),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("seen", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("host", "repository", name="pk_watch"),
    )


def _changes() -> None:
    op.create_table(
        "followed_change",
        _text("place"),
        _text("host"),
        _text("repository"),
        sa.Column("number", sa.Integer(), nullable=False),
        _text("link"),
        _text("story"),
        _text("debate"),
        _text("head"),
        sa.Column("runs", sa.Integer(), nullable=False),
        _text("wanted"),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        _text("state"),
        sa.Column("merged_at", sa.DateTime(timezone=True), nullable=True),
        _text("merge_commit"),
        sa.Column("ask_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("asks", sa.Integer(), nullable=False),
        sa.Column("objections", sa.JSON(), nullable=False),
        _text("told"),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("place", "host", "repository", "number", name="pk_followed_change"),
    )
    change = ["host", "repository", "number"]
    op.create_index("ix_followed_change_host_repository_number", "followed_change", change)
    op.create_index("ix_followed_change_wanted", "followed_change", ["wanted"])
    op.create_index("ix_followed_change_ask_at", "followed_change", ["ask_at"])


def _posts() -> None:
    op.create_table(
        "forge_post",
        _text("key"),
        _text("debate_id"),
        _text("kind"),
        _text("link"),
        sa.Column("body", sa.JSON(), nullable=False),
        _text("by"),
        _text("state"),
        _text("claimed_by"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ref", sa.JSON(none_as_null=True), nullable=True),
        _text("reason"),
        sa.PrimaryKeyConstraint("key", name="pk_forge_post"),
        sa.ForeignKeyConstraint(
            ["debate_id"],
            ["debate.id"],
            name="fk_forge_post_debate_id_debate",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_forge_post_state_next_at", "forge_post", ["state", "next_at"])
    op.create_index("ix_forge_post_debate_id", "forge_post", ["debate_id"])


def _installations() -> None:
    op.create_table(
        "forge_installation",
        _text("host"),
        sa.Column("installation", sa.Integer(), nullable=False),
        _text("account"),
        _text("workspace"),
        _text("by"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("host", "installation", name="pk_forge_installation"),
    )
    account = ["host", "account"]
    op.create_index("ix_forge_installation_host_account", "forge_installation", account)
