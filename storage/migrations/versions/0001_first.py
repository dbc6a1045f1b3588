"""The first tables. Types are spelled out here and not taken from the code, which moves on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None


def upgrade() -> None:
    op.create_table(
        "binding",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("place", "repository", name="pk_binding"),
    )
    op.create_table(
        "debate",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("asker", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("beat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wake_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cost", sa.Double(), nullable=False),
        sa.Column("origin_key", sa.Text(), nullable=True),
        sa.Column("parent", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_debate"),
        sa.UniqueConstraint("origin_key", name="uq_debate_origin_key"),
    )
    op.create_index("ix_debate_created_at", "debate", ["created_at"], unique=False)
    op.create_index("ix_debate_place_created_at", "debate", ["place", "created_at"], unique=False)
    op.create_index("ix_debate_status_wake_at", "debate", ["status", "wake_at"], unique=False)
    op.create_table(
        "installation",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("workspace", name="pk_installation"),
    )
    op.create_table(
        "schedule",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("cron", sa.Text(), nullable=False),
        sa.Column("tz", sa.Text(), nullable=False),
        sa.Column("grace", sa.Double(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("filters", sa.JSON(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("heads", sa.JSON(), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_schedule"),
    )
    op.create_index("ix_schedule_enabled_next_at", "schedule", ["enabled", "next_at"], unique=False)
    op.create_table(
        "seen",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_seen"),
    )
    op.create_index("ix_seen_at", "seen", ["at"], unique=False)
    op.create_table(
        "slot",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("free_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_slot"),
    )
    op.create_table(
        "event",
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_event_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("debate_id", "seq", name="pk_event"),
    )
    op.create_table(
        "llm_call",
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("usage", sa.JSON(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_llm_call_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("debate_id", "turn", "attempt", name="pk_llm_call"),
    )
    op.create_index("ix_llm_call_at", "llm_call", ["at"], unique=False)
    op.create_table(
        "message",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_message_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("place", "message", name="pk_message"),
    )
    op.create_index("ix_message_debate_id_place", "message", ["debate_id", "place"], unique=False)
    op.create_index("ix_message_place_thread", "message", ["place", "thread"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("op", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("first_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done", sa.JSON(), nullable=False),
        sa.Column("ref", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_outbox_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("place", "key", name="uq_outbox_place_key"),
    )
    op.create_index(
        "ix_outbox_open",
        "outbox",
        ["debate_id", "place", "id"],
        unique=False,
        sqlite_where=sa.text("state IN ('pending', 'sending')"),
        postgresql_where=sa.text("state IN ('pending', 'sending')"),
    )
    op.create_table(
        "outcome",
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("because", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("reached", sa.Boolean(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("cost", sa.Double(), nullable=True),
        sa.Column("held", sa.Boolean(), nullable=True),
        sa.Column("concluded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_outcome_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("debate_id", name="pk_outcome"),
    )
    op.create_index("ix_outcome_decision", "outcome", ["decision"], unique=False)
    op.create_index(
        "ix_outcome_template_concluded_at", "outcome", ["template", "concluded_at"], unique=False
    )
    op.create_table(
        "schedule_run",
        sa.Column("schedule_id", sa.Text(), nullable=False),
        sa.Column("fire_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_by", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("debates", sa.JSON(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["schedule_id"],
            ["schedule.id"],
            name="fk_schedule_run_schedule_id_schedule",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("schedule_id", "fire_at", name="pk_schedule_run"),
    )
    op.create_table(
        "signal",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("source_key", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("applied_seq", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_signal_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_signal"),
        sa.UniqueConstraint("source_key", name="uq_signal_source_key"),
    )
    op.create_index(
        "ix_signal_debate_id_applied_seq", "signal", ["debate_id", "applied_seq"], unique=False
    )
