"""Searches words in ``debate_text``: FTS5 on SQLite, the type tsvector on PostgreSQL.

Both look a word up by its beginning (a single letter as it is), and all words of a query must be
there. On SQLite the table ``debate_words`` holds only the index and triggers keep it up to date;
accents make no difference there.
"""

from __future__ import annotations

import re
import unicodedata

import sqlalchemy as sa

BEGINS, ENDS = "\x02", "\x03"
"""The marks around the queried words in an excerpt."""
INDEX = "debate_words"
LONGEST = 400_000
"""The characters of one debate that are searchable; PostgreSQL's index of one text ends at a
megabyte.
"""
_MOST = 16
"""The words of a query that count."""
_BEFORE, _AFTER = 60, 140
"""The characters of an excerpt before and after the first queried word."""
_STEP = 256
"""The pages of the index (4 kB) that one step of cleaning writes."""
_WORKED = 2
"""The rows that a step changes at the least while there is more to merge."""
_SIMPLE: sa.ColumnElement[str] = sa.literal_column("'simple'")
SQLITE_INDEX = (
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
    """Creates the index of a new table ``debate_text``."""
    for statement in SQLITE_INDEX if conn.dialect.name == "sqlite" else _POSTGRES:
        conn.exec_driver_sql(statement)


def is_part(name: str | None) -> bool:
    """True if a table or an index is a part of the search index, which ``METADATA`` does not
    know.
    """
    return (name or "").startswith(INDEX)


def clean_step(conn: sa.Connection, *, first: bool) -> bool:
    """Merges a few pages of SQLite's index, and returns whether there is more to merge.

    The ``first`` step begins a merge of everything, which drops words that deletions only marked
    (https://www.sqlite.org/fts5.html#the_merge_command).
    """
    before = _changes(conn)
    pages = -_STEP if first else _STEP
    merge = sa.text("INSERT INTO debate_words (debate_words, rank) VALUES ('merge', :pages)")
    conn.execute(merge, {"pages": pages})
    return _changes(conn) - before >= _WORKED


def _changes(conn: sa.Connection) -> int:
    return int(conn.exec_driver_sql("SELECT total_changes()").scalar() or 0)


def asked_words(words: str) -> tuple[str, ...]:
    """Returns the words of a query that count: those with a letter or a digit, sixteen at most."""
    return tuple(re.findall(r"[^\W_]+", words)[:_MOST])


def in_vector(text: sa.Table, words: tuple[str, ...]) -> sa.ColumnElement[bool]:
    """Builds the condition that a row of ``text`` holds all words, each from its beginning, on
    PostgreSQL.
    """
    query = " & ".join(word + (":*" if _rest(word) else "") for word in words)
    vector = sa.func.to_tsvector(_SIMPLE, text.c.words)
    return vector.op("@@")(sa.func.to_tsquery(_SIMPLE, query))


def numbers_with(words: tuple[str, ...]) -> sa.Select[tuple[int]]:
    """Selects the numbers of the texts that hold all words, each from its beginning, on SQLite."""
    match = " ".join(f'"{word}"{_rest(word)}' for word in words)
    return sa.select(_FTS.c.rowid).where(sa.literal_column(INDEX).op("MATCH")(match))


def _rest(word: str) -> str:
    """Allows any ending after a word, but not after a single letter, with which too many words
    begin.
    """
    return "*" if len(word) > 1 else ""


def excerpt(text: str, texts: tuple[str, ...]) -> str:
    """Returns a few words of ``text`` around the first queried one, with the queried ones marked by
    ``BEGINS`` and ``ENDS``.

    It is made by reading the text: an index would have to look all its words up again.
    """
    if not texts:
        return ""
    # Each letter for one letter, so that a place in the folded text is the same place in the text.
    folded = text if text.isascii() else text.translate(_FOLDED)
    words = "|".join(
        re.escape(word.translate(_FOLDED)) + (r"\w*" if _rest(word) else r"\b") for word in texts
    )
    wanted = re.compile(rf"(?<![^\W_])(?:{words})", re.IGNORECASE)
    first = wanted.search(folded)
    middle = first.start() if first else 0
    start, end = _edges(text, middle)
    marked, at = ["…" if start else ""], start
    for match in wanted.finditer(folded, start, end):
        marked += [text[at : match.start()], BEGINS, text[slice(*match.span())], ENDS]
        at = match.end()
    return "".join([*marked, text[at:end], "…" if end < len(text) else ""])


def _edges(text: str, middle: int) -> tuple[int, int]:
    """Returns the ends of an excerpt around ``middle``, between words if there are any."""
    start, end = max(0, middle - _BEFORE), min(len(text), middle + _AFTER)
    if start and (space := text.find(" ", start, middle)) >= 0:
        start = space + 1
    if end < len(text) and (space := text.rfind(" ", middle, end)) > middle:
        end = space
    return start, end


class _Letters(dict[int, str]):
    """Maps each letter to itself without accents, computed on first use."""

    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFD", chr(code))[0]
        self[code] = plain
        return plain


_FOLDED = _Letters()
