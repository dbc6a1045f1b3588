"""Each migration does what its phase allows, so that the release before can go on beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from storage import schema
from storage.database import database_url
from storage.database.engines import create_engine
from storage.tables import COMPATIBLE, METADATA
from storage.word_index import is_part
from tests.patience import LONG

if TYPE_CHECKING:
    from alembic.script import Script

PHASES = ("expand", "fill", "contract")


@pytest.fixture(autouse=True)
def databases_are_copied() -> None:
    """They are not: here their tables are made."""


@dataclass(frozen=True)
class Tables:
    """A database's tables as a release that knows nothing newer meets them."""

    columns: dict[tuple[str, str], tuple[str, bool]]
    """Type, and whether it may be left out."""
    rules: dict[str, list[str]]
    """What a row is refused for: keys, unique and foreign keys, checks."""
    least: str


def tables_of(conn: sa.Connection) -> Tables:
    inspector = sa.inspect(conn)
    names = [name for name in inspector.get_table_names() if not is_part(name)]
    columns = {
        (name, c["name"]): (str(c["type"]), bool(c["nullable"]) or c.get("default") is not None)
        for name in names
        for c in inspector.get_columns(name)
    }
    return Tables(columns, {n: rules(inspector, n) for n in names}, str(least(conn)))


def rules(inspector: Any, table: str) -> list[str]:
    unique = [x for x in inspector.get_indexes(table) if x["unique"]]
    parts = [
        inspector.get_pk_constraint(table),
        *inspector.get_unique_constraints(table),
        *inspector.get_foreign_keys(table),
        *inspector.get_check_constraints(table),
        *unique,
    ]
    return sorted(map(str, parts))


def least(conn: sa.Connection) -> str | None:
    if COMPATIBLE.name not in sa.inspect(conn).get_table_names():
        return None
    return conn.execute(sa.select(COMPATIBLE.c.least)).scalar()


def broken(phase: str, before: Tables, after: Tables) -> list[str]:
    """Returns the operations of a migration that its phase forbids."""
    wrong = [] if phase in PHASES else [f"{phase!r} is no phase"]
    if phase == "contract":
        return [] if after.least > before.least else ["takes away and raises no compatible.least"]
    if after.least != before.least:
        wrong.append("raises compatible.least")
    wrong += [f"{name} is another" for name, was in before.columns.items()
              if after.columns.get(name) != was]  # fmt: skip
    wrong += [f"{table} refuses other rows" for table, was in before.rules.items()
              if after.rules.get(table) != was]  # fmt: skip
    new = after.columns.keys() - before.columns.keys()
    wrong += [
        f"{name} has to be given" for name in sorted(new)
        if name[0] in before.rules and not after.columns[name][1]
    ]  # fmt: skip
    if phase == "fill" and new:
        wrong.append(f"adds {sorted(new)}")
    return wrong


def later() -> Iterator[Script]:
    """Yields the migrations after the first release's, the oldest first."""
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    for script in reversed([*ScriptDirectory.from_config(config).walk_revisions()]):
        if script.revision > schema.FIRST:
            yield script


def test_each_migration_keeps_to_its_phase(database_address: str) -> None:
    engine = create_engine(
        database_url(database_address),
        begin="BEGIN IMMEDIATE",
        size=1,
        foreign_keys=False,
        lock_ms=LONG,
    )
    with engine.begin() as conn:
        METADATA.drop_all(conn)
        conn.exec_driver_sql("DROP TABLE IF EXISTS alembic_version")
        schema.migrate(conn, schema.FIRST)
        if conn.dialect.name == "postgresql":
            limit = conn.exec_driver_sql("SELECT current_setting('transaction_timeout', true)")
            assert limit.scalar() in {None, "0"}, "a large database takes as long as it takes"
        before = tables_of(conn)
        for script in later():
            schema.migrate(conn, script.revision)
            after = tables_of(conn)
            phase = getattr(script.module, "phase", "")
            assert broken(phase, before, after) == [], script.revision
            before = after
    engine.dispose()


BEFORE = Tables({("debate", "id"): ("TEXT", False)}, {"debate": ["key id"]}, "0017")


@pytest.mark.parametrize(
    ("phase", "columns", "rules", "raised", "refusal"),
    [
        ("expand", {("debate", "mood"): ("TEXT", True)}, {}, "0017", ""),
        ("expand", {("hook", "id"): ("TEXT", False)}, {"hook": ["key id"]}, "0017", ""),
        ("expand", {("debate", "mood"): ("TEXT", False)}, {}, "0017", "has to be given"),
        ("expand", {("debate", "id"): ("INTEGER", False)}, {}, "0017", "is another"),
        ("expand", {}, {"debate": ["key id", "unique mood"]}, "0017", "refuses other rows"),
        ("expand", {}, {}, "0018", "raises compatible.least"),
        ("fill", {("debate", "mood"): ("TEXT", True)}, {}, "0017", "adds"),
        ("fill", {}, {}, "0017", ""),
        ("contract", {}, {}, "0017", "raises no compatible.least"),
        ("contract", {}, {}, "0018", ""),
        ("", {}, {}, "0017", "is no phase"),
    ],
)
def test_what_a_phase_does_not_allow_is_seen(
    phase: str,
    columns: dict[tuple[str, str], tuple[str, bool]],
    rules: dict[str, list[str]],
    raised: str,
    refusal: str,
) -> None:
    after = Tables({**BEFORE.columns, **columns}, {**BEFORE.rules, **rules}, raised)
    wrong = broken(phase, BEFORE, after)
    assert refusal in "; ".join(wrong)
    assert bool(wrong) is bool(refusal)
