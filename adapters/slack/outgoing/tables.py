"""Tables as Slack's table blocks, within its limits; one that is too wide stays aligned text."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from adapters.slack.outgoing.markup import Json, block, defuse, section, spans
from adapters.text.markdown import pieces
from adapters.text.pieces import PieceKind

_ROWS, _COLUMNS = 100, 20
"""Slack's limits of one table."""
_MARKS = frozenset("*_~`")
_EMPTY = "–"


def is_table(laid_out: Json) -> bool:
    return bool(laid_out["type"] == "table")


def tables(rows: Sequence[Sequence[str]], most: int, hosts: Collection[str] = ()) -> Iterable[Json]:
    """Yield blocks that together show all ``rows``, each with the heading, its cells within
    ``most`` characters of JSON; none if there are too many columns.
    """
    columns = max(map(len, rows), default=0)
    if not 0 < columns <= _COLUMNS:
        return
    heading, *others = [[_cell(text, hosts) for text in _padded(row, columns)] for row in rows]
    group, size = [heading], _size(heading)
    for row in others:
        if len(group) > 1 and (len(group) == _ROWS or size + _size(row) > most):
            yield _table(group, columns)
            group, size = [heading], _size(heading)
        group.append(row)
        size += _size(row)
    yield _table(group, columns)


def _table(rows: list[list[Json]], columns: int) -> Json:
    return {
        "type": "table",
        "rows": rows,
        "column_settings": [{"is_wrapped": True} for _ in range(columns)],
    }


def _padded(row: Sequence[str], columns: int) -> list[str]:
    return [*row, *[""] * (columns - len(row))]


def _size(row: list[Json]) -> int:
    return len(json.dumps(row, ensure_ascii=False)) + 2


def _cell(text: str, hosts: Collection[str]) -> Json:
    """Return a cell: plain, or rich if a part of its text is marked."""
    if not _MARKS.isdisjoint(text):
        read = pieces(text, hosts)
        if len(read) == 1 and read[0].kind is PieceKind.PARAGRAPH and read[0].text.strip():
            return block(section(*spans(read[0].spans)))
    return {"type": "raw_text", "text": defuse(text).strip() or _EMPTY}
