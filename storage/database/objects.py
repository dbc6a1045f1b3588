"""The check that a SQLite database holds our tables only. Triggers, views and computed columns of a
file that someone packed would act on what we write, and change what we read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cache
from typing import Any

from core.debate.errors import BadInput
from storage.tables import METADATA
from storage.word_index import INDEX, SQLITE_INDEX

_VERSION = "alembic_version"
_FORMER = ("forge_event", "forge_post", "removal")
"""Tables of older releases, which a migration removes."""
_COMPUTED = 2
"""From this number on, SQLite marks a column that is computed (``PRAGMA table_xinfo``)."""


def require_ours(rows: Callable[[str], Sequence[Any]], *, newer: bool) -> None:
    """Raises ``BadInput`` if the database, of which ``rows`` returns the rows of a query, holds
    anything that is not of our making. A ``newer`` release may have more tables and indexes, but no
    more triggers.
    """
    objects = rows("SELECT type, name, sql FROM sqlite_schema")
    odd = next((f"the {k} {n}" for k, n, sql in objects if not _is_ours(k, n, sql, newer)), "")
    for name in () if odd else [name for kind, name, _ in objects if kind == "table"]:
        known = name in METADATA.tables or name in _FORMER
        columns = rows(f"PRAGMA table_xinfo({name})") if known else ()
        if any(column[6] >= _COMPUTED for column in columns):
            odd = f"computed columns in the table {name}"
    if odd:
        raise BadInput(
            f"The database holds {odd[:120]!r}, which is not of debatebot's making, and is not "
            "used: choose another one."
        )


def _is_ours(kind: str, name: str, sql: str | None, newer: bool) -> bool:
    made = _search_objects()
    if (kind, name) in made:
        return sql == made[kind, name]
    plain = sql is None or not sql.lstrip().upper().startswith("CREATE VIRTUAL")
    match kind:
        case "table":
            known = name in METADATA.tables or name in (_VERSION, *_FORMER)
            own = name.startswith("sqlite_")  # SQLite's own: nobody else may use such a name
            return plain and (known or own or newer)
        case "index":
            former = name.startswith(tuple(f"ix_{table}_" for table in _FORMER))
            return sql is None or name in _indexes() or former or newer
        case _:
            return False


@cache
def _indexes() -> frozenset[str]:
    return frozenset(
        str(index.name) for table in METADATA.tables.values() for index in table.indexes
    )


@cache
def _search_objects() -> Mapping[tuple[str, str], str]:
    """Returns the statements of the search index's tables and triggers, by kind and name, as SQLite
    keeps them: it is made once in memory.
    """
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.execute("CREATE TABLE debate_text (number INTEGER PRIMARY KEY, words TEXT)")
        for statement in SQLITE_INDEX:
            conn.execute(statement)
        rows = conn.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        return {
            (kind, name): sql
            for kind, name, sql in rows
            if kind == "trigger" or name.startswith(INDEX)
        }
