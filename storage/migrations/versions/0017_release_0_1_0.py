"""The tables of release 0.1.0. Types are spelled out here, as the code moves on.

What came before was never released, so that the numbers begin here. From here on every migration
is kept, and tested on a database of each release (``tests/storage/releases``).
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from storage.word_index import create_index

revision = "0017"
down_revision: str | None = None


def upgrade() -> None:
    _debates()
    _posts()
    _forges()
    _schedules()
    _people()
    _process()
    create_index(op.get_bind())
    compatible = sa.table("compatible", sa.column("least", sa.Text()))
    op.bulk_insert(compatible, [{"least": revision}])


def _debates() -> None:
    _debate()
    _debate_label()
    _debate_text()
    _event()
    _llm_call()
    _outcome()
    _signal()


def _debate() -> None:
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
        sa.Column("needs", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("beat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wake_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cost", sa.Double(), nullable=False),
        sa.Column("reserve", sa.Double(), nullable=False),
        sa.Column("origin_key", sa.Text(), nullable=True),
        sa.Column("parent", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("emptied", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_debate"),
        sa.UniqueConstraint("origin_key", name="uq_debate_origin_key"),
    )
    op.create_index("ix_debate_created_at", "debate", ["created_at"])
    op.create_index("ix_debate_emptied_updated_at", "debate", ["emptied", "updated_at"])
    op.create_index(
        "ix_debate_owner",
        "debate",
        ["owner"],
        sqlite_where=sa.text("owner != ''"),
        postgresql_where=sa.text("owner != ''"),
    )
    op.create_index("ix_debate_parent", "debate", ["parent"])
    op.create_index("ix_debate_place_created_at", "debate", ["place", "created_at"])
    op.create_index("ix_debate_status_wake_at", "debate", ["status", "wake_at"])
    op.create_index("ix_debate_updated_at", "debate", ["updated_at"])
    op.create_index(
        "ix_debate_wake_at",
        "debate",
        ["wake_at"],
        sqlite_where=sa.text("wake_at IS NOT NULL"),
        postgresql_where=sa.text("wake_at IS NOT NULL"),
    )


def _debate_label() -> None:
    op.create_table(
        "debate_label",
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"],
            ["debate.id"],
            name="fk_debate_label_debate_id_debate",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("debate_id", "name", name="pk_debate_label"),
    )
    op.create_index(
        "ix_debate_label_name_value_debate_id", "debate_label", ["name", "value", "debate_id"]
    )


def _debate_text() -> None:
    op.create_table(
        "debate_text",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_debate_text_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_debate_text"),
        sa.UniqueConstraint("debate_id", name="uq_debate_text_debate_id"),
    )
    op.create_index("ix_debate_text_repository_number", "debate_text", ["repository", "number"])


def _event() -> None:
    op.create_table(
        "event",
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("digest", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_event_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("debate_id", "seq", name="pk_event"),
    )


def _llm_call() -> None:
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
        sa.Column("estimate", sa.Double(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_llm_call_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("debate_id", "turn", "attempt", name="pk_llm_call"),
    )
    op.create_index("ix_llm_call_spent", "llm_call", ["at", "state", "model", "usd", "debate_id"])


def _outcome() -> None:
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
    op.create_index(
        "ix_outcome_concluded_at_debate_id_place", "outcome", ["concluded_at", "debate_id", "place"]
    )
    op.create_index("ix_outcome_decision", "outcome", ["decision"])
    op.create_index(
        "ix_outcome_format_concluded_at_debate_id",
        "outcome",
        ["format", "concluded_at", "debate_id"],
    )
    op.create_index("ix_outcome_held_concluded_at", "outcome", ["held", "concluded_at"])
    op.create_index("ix_outcome_template_concluded_at", "outcome", ["template", "concluded_at"])


def _signal() -> None:
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
    op.create_index("ix_signal_debate_id_applied_seq", "signal", ["debate_id", "applied_seq"])
    op.create_index(
        "ix_signal_waiting",
        "signal",
        ["applied_seq", "debate_id"],
        sqlite_where=sa.text("applied_seq IS NULL"),
        postgresql_where=sa.text("applied_seq IS NULL"),
    )


def _posts() -> None:
    _link()
    _message()
    _outbox()
    _removal()


def _link() -> None:
    op.create_table(
        "link",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_link_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_link"),
    )
    op.create_index("ix_link_debate_id", "link", ["debate_id"])


def _message() -> None:
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
    op.create_index("ix_message_debate_id_place", "message", ["debate_id", "place"])
    op.create_index("ix_message_place_at", "message", ["place", "at"])
    op.create_index("ix_message_place_thread", "message", ["place", "thread"])


def _outbox() -> None:
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
    op.create_index("ix_outbox_debate_id", "outbox", ["debate_id"])
    op.create_index(
        "ix_outbox_open",
        "outbox",
        ["debate_id", "place", "id"],
        sqlite_where=sa.text("state IN ('pending', 'sending')"),
        postgresql_where=sa.text("state IN ('pending', 'sending')"),
    )
    op.create_index(
        "ix_outbox_uncertain",
        "outbox",
        ["debate_id"],
        sqlite_where=sa.text("state = 'uncertain'"),
        postgresql_where=sa.text("state = 'uncertain'"),
    )


def _removal() -> None:
    op.create_table(
        "removal",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_removal_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_removal"),
    )
    op.create_index("ix_removal_debate_id", "removal", ["debate_id"])
    op.create_index("ix_removal_state_next_at", "removal", ["state", "next_at"])


def _forges() -> None:
    _binding()
    _followed_change()
    _forge_event()
    _forge_installation()
    _watch()
    _forge_post()


def _binding() -> None:
    op.create_table(
        "binding",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("place", "repository", name="pk_binding"),
    )


def _followed_change() -> None:
    op.create_table(
        "followed_change",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("story", sa.Text(), nullable=False),
        sa.Column("debate", sa.Text(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("wanted", sa.Text(), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("merged_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("merge_commit", sa.Text(), nullable=False),
        sa.Column("ask_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("asks", sa.Integer(), nullable=False),
        sa.Column("objections", sa.JSON(), nullable=False),
        sa.Column("told", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("place", "host", "repository", "number", name="pk_followed_change"),
    )
    op.create_index("ix_followed_change_ask_at", "followed_change", ["ask_at"])
    op.create_index(
        "ix_followed_change_host_repository_number",
        "followed_change",
        ["host", "repository", "number"],
    )
    op.create_index("ix_followed_change_wanted", "followed_change", ["wanted"])


def _forge_event() -> None:
    op.create_table(
        "forge_event",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_forge_event"),
    )
    op.create_index("ix_forge_event_at", "forge_event", ["at"])
    op.create_index("ix_forge_event_state_next_at", "forge_event", ["state", "next_at"])


def _forge_installation() -> None:
    op.create_table(
        "forge_installation",
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("installation", sa.Integer(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("host", "installation", name="pk_forge_installation"),
    )
    op.create_index("ix_forge_installation_host_account", "forge_installation", ["host", "account"])


def _watch() -> None:
    op.create_table(
        "watch",
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("seen", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("host", "repository", name="pk_watch"),
    )


def _forge_post() -> None:
    op.create_table(
        "forge_post",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ref", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_forge_post_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_forge_post"),
    )
    op.create_index("ix_forge_post_debate_id", "forge_post", ["debate_id"])
    op.create_index("ix_forge_post_state_next_at", "forge_post", ["state", "next_at"])


def _schedules() -> None:
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
    op.create_index("ix_schedule_enabled_next_at", "schedule", ["enabled", "next_at"])
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


def _people() -> None:
    _audit()
    _installation()
    _invitation()
    _left_workspace()
    _seen()
    _session()
    _token()
    _token_start()


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("who_hash", sa.Text(), nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_audit"),
    )
    op.create_index("ix_audit_at", "audit", ["at"])


def _installation() -> None:
    op.create_table(
        "installation",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("workspace", name="pk_installation"),
    )


def _invitation() -> None:
    op.create_table(
        "invitation",
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("debate", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("secret_hash", name="pk_invitation"),
    )


def _left_workspace() -> None:
    op.create_table(
        "left_workspace",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("workspace", name="pk_left_workspace"),
    )


def _seen() -> None:
    op.create_table(
        "seen",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_seen"),
    )
    op.create_index("ix_seen_at", "seen", ["at"])


def _session() -> None:
    op.create_table(
        "session",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("workspaces", sa.JSON(), nullable=False),
        sa.Column("browser", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("key_hash", name="uq_session_key_hash"),
    )
    op.create_index("ix_session_platform_account", "session", ["platform", "account"])


def _token() -> None:
    op.create_table(
        "token",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("purse", sa.Double(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("secret_hash", name="uq_token_secret_hash"),
    )


def _token_start() -> None:
    op.create_table(
        "token_start",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("asked_hash", sa.Text(), nullable=False),
        sa.Column("budget", sa.Double(), nullable=False),
        sa.Column("debate", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("token", "key", name="pk_token_start"),
    )


def _process() -> None:
    op.create_table(
        "compatible",
        sa.Column("least", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("least", name="pk_compatible"),
    )
    op.create_table(
        "running_bot",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("opens", sa.JSON(), server_default="[]", nullable=False),
        sa.PrimaryKeyConstraint("owner", name="pk_running_bot"),
    )
    op.create_table(
        "slot",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("free_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_slot"),
    )
