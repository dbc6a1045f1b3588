"""How words are found in ``debate_text``: FTS5 on SQLite, ``tsvector`` on PostgreSQL.

Both look a word up by its beginning, and all words of a question must be there. On SQLite the
table ``debate_words`` holds the index alone and triggers keep it; accents make no difference there.
"""

from __future__ import annotations

import re

import sqlalchemy as sa

BEGINS, ENDS = "\x02", "\x03"
"""Around the words of an excerpt that were asked for."""
INDEX = "debate_words"
LONGEST = 400_000
"""Characters of one debate that can be found; PostgreSQL's index of one text ends at a megabyte."""
_MOST = 16
"""Words of a question that count."""
_SIMPLE: sa.ColumnElement[str] = sa.literal_column("'simple'")
_SQLITE = (
    """CREATE VIRTUAL TABLE IF NOT EXISTS debate_words USING fts5(
        words, content='debate_text', content_rowid='number',
        tokenize='unicode61 remove_diacritics 2'
    )""",
    """CREATE TRIGGER debate_text_added AFTER INSERT ON debate_text BEGIN
        INSERT INTO debate_words (rowid, words) VALUES (new.number, new.words);
    END""",
    """CREATE TRIGGER debate_text_removed AFTER DELETE ON debate_text BEGIN
        INSERT INTO debate_words (debate_words, rowid, words)
            VALUES ('delete', old.number, old.words);
    END""",
    """CREATE TRIGGER debate_text_changed AFTER UPDATE OF words ON debate_text BEGIN
        INSERT INTO debate_words (debate_words, rowid, words)
            VALUES ('delete', old.number, old.words);
        INSERT INTO debate_words (rowid, words) VALUES (new.number, new.words);
    END""",
)
_POSTGRES = ("CREATE INDEX debate_words ON debate_text USING gin (to_tsvector('simple', words))",)
_FTS = sa.table(INDEX, sa.column("rowid", sa.Integer))


def create_index(conn: sa.Connection) -> None:
    """Beside a new table ``debate_text``."""
    for statement in _SQLITE if conn.dialect.name == "sqlite" else _POSTGRES:
        conn.exec_driver_sql(statement)


def is_part(name: str | None) -> bool:
    """Whether a table or an index is a part of the index, which ``METADATA`` does not know."""
    return (name or "").startswith(INDEX)


def narrowed(
    query: sa.Select[tuple[str]], text: sa.Table, words: str, *, sqlite: bool
) -> sa.Select[tuple[str]]:
    """``query``, of which ``text`` is a part already, with an excerpt of each row as its last
    column: only rows that hold all of ``words``. Words without a letter or a digit ask for nothing.
    """
    asked = re.findall(r"[^\W_]+", words)[:_MOST]
    if not asked:
        return query.add_columns(sa.literal("").label("excerpt"))
    if sqlite:
        match = " ".join(f'"{word}"*' for word in asked)
        name: sa.ColumnElement[str] = sa.literal_column(INDEX)
        found = sa.func.snippet(name, 0, BEGINS, ENDS, "…", 24)
        query = query.join(_FTS, _FTS.c.rowid == text.c.number)
        return query.where(name.op("MATCH")(match)).add_columns(found.label("excerpt"))
    wanted = sa.func.to_tsquery(_SIMPLE, " & ".join(f"{word}:*" for word in asked))
    options = f"StartSel={BEGINS}, StopSel={ENDS}, MaxWords=24, MinWords=12"
    found = sa.func.ts_headline(_SIMPLE, text.c.words, wanted, options)
    vector = sa.func.to_tsvector(_SIMPLE, text.c.words)
    return query.where(vector.op("@@")(wanted)).add_columns(found.label("excerpt"))
