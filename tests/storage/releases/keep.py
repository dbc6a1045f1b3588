"""Keeps the rows of a SQLite database as a release wrote them, when the release is made.

``DEBATE_SCRIPTED=1 DEBATE_DATABASE_URL=x.db debate panel "…"``, then
``python -m tests.storage.releases.keep x.db 0.1.0``.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from storage.database import database_url
from storage.database.engines import create_engine
from storage.word_index import is_part

FOLDER = Path(__file__).parent


def keep(file: str, release: str) -> Path:
    """Writes ``RELEASE.json`` beside this module: the migration and every table's rows."""
    engine = create_engine(database_url(file), begin="BEGIN", size=1)
    tables = sa.MetaData()
    tables.reflect(engine, only=lambda name, _: not is_part(name))
    with engine.begin() as conn:
        rows = {
            table.name: [
                {name: _plain(value) for name, value in row.items()}
                for row in conn.execute(sa.select(table)).mappings()
            ]
            for table in tables.sorted_tables
        }
    engine.dispose()
    (version,) = rows.pop("alembic_version")
    kept = {"migration": version["version_num"], "rows": {k: v for k, v in rows.items() if v}}
    to = FOLDER / f"{release}.json"
    to.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return to


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


if __name__ == "__main__":
    print(keep(sys.argv[1], sys.argv[2]))
