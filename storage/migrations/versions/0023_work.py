"""One table of work for posts to forges, their events, and removals: their rows are carried over.

After the code that reads the three tables: an older release can't run at the same time.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
phase = "contract"

_LEASE = ("claimed_by", "attempts", "at", "next_at")
_COLUMNS = (
    "key", "kind", "debate_id", "target", "by", "payload", "state", *_LEASE, "result", "reason"
)  # fmt: skip
_NOTHING = sa.literal({}, sa.JSON())
_NO_ID = sa.cast(sa.null(), sa.Text())
_NO_RESULT = sa.cast(sa.null(), sa.JSON())


def _table(name: str, *columns: str) -> sa.TableClause:
    return sa.table(name, *map(sa.column, (*columns, "key", "state", *_LEASE, "reason")))


_EVENT = _table("forge_event", "payload")
_POST = _table("forge_post", "kind", "debate_id", "link", "by", "body", "ref")
_REMOVAL = _table("removal", "kind", "debate_id", "target")


def upgrade() -> None:
    conn = op.get_bind()
    _make()
    for rows in (_events(), _posts(), _removed_posts(), _removed_messages(conn)):
        conn.execute(
            sa.insert(sa.table("work", *map(sa.column, _COLUMNS))).from_select(_COLUMNS, rows)
        )
    for table in ("forge_event", "removal", "forge_post"):
        op.drop_table(table)
    conn.execute(sa.update(sa.table("compatible", sa.column("least"))).values(least=revision))


def _make() -> None:
    op.create_table(
        "work",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("debate_id", sa.Text(), nullable=True),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["debate_id"], ["debate.id"], name="fk_work_debate_id_debate", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_work"),
    )
    op.create_index("ix_work_state_next_at", "work", ["state", "next_at"])
    op.create_index("ix_work_kind_at", "work", ["kind", "at"])
    op.create_index("ix_work_debate_id", "work", ["debate_id"])


def _row(
    old: sa.TableClause,
    kind: sa.ColumnElement[str],
    debate: sa.ColumnElement[str],
    target: sa.ColumnElement[str],
    **values: sa.ColumnElement[Any],
) -> sa.Select[Any]:
    """Selects a row of work from an old row, with its claim: who holds it keeps it until then."""
    state = sa.case(
        (sa.and_(old.c.state == "pending", old.c.claimed_by != ""), "sending"),
        (old.c.state == "sent", "done"),
        (old.c.state == "refused", "dead"),
        else_=old.c.state,
    )
    columns: dict[str, sa.ColumnElement[Any]] = {
        "key": old.c.key, "kind": kind, "debate_id": debate, "target": target, "state": state,
        "by": sa.literal(""), "payload": _NOTHING, "result": _NO_RESULT, "reason": old.c.reason,
    }  # fmt: skip
    columns |= {name: old.c[name] for name in _LEASE} | values
    return sa.select(*(columns[name].label(name) for name in _COLUMNS))


def _events() -> sa.Select[Any]:
    return _row(_EVENT, sa.literal("event"), _NO_ID, sa.literal(""), payload=_EVENT.c.payload)


def _posts() -> sa.Select[Any]:
    removed = sa.select(_REMOVAL.c.target).where(_REMOVAL.c.kind == "forge")
    rows = _row(
        _POST, _POST.c.kind, _POST.c.debate_id, _POST.c.link,
        by=_POST.c.by, payload=_POST.c.body, result=_POST.c.ref,
    )  # fmt: skip
    return rows.where(_POST.c.key.not_in(removed))


def _removed_posts() -> sa.Select[Any]:
    """The row of a post whose removal is stored becomes that removal."""
    kind = sa.literal("remove_") + _POST.c.kind
    rows = _row(
        _REMOVAL, kind, _POST.c.debate_id, _POST.c.link,
        key=_POST.c.key, by=_POST.c.by, result=_POST.c.ref,
    )  # fmt: skip
    return rows.where(_REMOVAL.c.kind == "forge", _POST.c.key == _REMOVAL.c.target)


def _removed_messages(conn: sa.Connection) -> sa.Select[Any]:
    place = _REMOVAL.c.target
    find = sa.func.strpos if conn.dialect.name == "postgresql" else sa.func.instr
    kind = sa.literal("remove_") + sa.func.substr(place, 1, find(place, ":") - 1)
    return _row(_REMOVAL, kind, _REMOVAL.c.debate_id, place).where(_REMOVAL.c.kind == "chat")
