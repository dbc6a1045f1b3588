"""Tables in foreign Markdown, at the edges of what is one."""

from __future__ import annotations

import pytest

from adapters.posts.brevity import sentences
from adapters.text.markdown import pieces
from adapters.text.splitting import split
from core.words.views.language.grammar import shortened

Rows = tuple[tuple[str, ...], ...]


def _tables(text: str) -> list[Rows]:
    return [piece.rows for piece in pieces(text) if piece.rows]


def _beside(text: str) -> list[str]:
    return [piece.text for piece in pieces(text) if not piece.rows]


@pytest.mark.parametrize(
    ("text", "rows", "beside"),
    [
        ("a|b\n-|-", (("a", "b"),), []),
        ("a|b\n-|-\nc|d", (("a", "b"), ("c", "d")), []),
        ("a|b\n:-:|--:\nc|d\n\ne|f", (("a", "b"), ("c", "d")), ["e|f"]),
        ("a|b\n-|-\ntext", (("a", "b"),), ["text"]),
        ("a|b\n-|-\nc|d\ntext", (("a", "b"), ("c", "d")), ["text"]),
        ("| a |\n|---|\n| 1 |", (("a",), ("1",)), []),
        ("a\n|-|\nb|c", (("a",), ("b", "c")), []),
        ("|a|\n-\nb|c", (("a",), ("b", "c")), []),
        ("text\na|b\n-|-", (("a", "b"),), ["text"]),
        ("> a|b\n> -|-\n> c|d\ne|f", (("a", "b"), ("c", "d")), ["e|f"]),
        ("- one\n\n  a|b\n  -|-\n  c|d\ne|f", (("a", "b"), ("c", "d")), ["one", "e|f"]),
    ],
)
def test_a_heading_over_dashes_is_a_table_up_to_the_line_that_is_none(
    text: str, rows: Rows, beside: list[str]
) -> None:
    assert _tables(text) == [rows]
    assert _beside(text) == beside


@pytest.mark.parametrize(
    "text",
    [
        "a|b", "a|b\n-|x", "a|b\n-", "a|b\n-|-|-", "a\n-\nb|c", "    a|b\n    -|-", "a|b\n    -|-",
        "a|b\n\n-|-", "a b\n- -",
    ],
)  # fmt: skip
def test_anything_else_is_none(text: str) -> None:
    assert _tables(text) == []


def test_a_table_ends_the_paragraph_before_it_and_may_be_the_last_line() -> None:
    assert _tables("one\ntwo\na|b\n-|-\n1|2\n") == [(("a", "b"), ("1", "2"))]
    assert _tables("a|b\n-|-\n\nc|d\n-|-\n3|4") == [(("a", "b"),), (("c", "d"), ("3", "4"))]


def test_html_is_text() -> None:
    assert [piece.text for piece in pieces("<p>a <b>b</b></p>\n\n<!-- c -->")] == [
        "<p>a <b>b</b></p>", "<!-- c -->"
    ]  # fmt: skip


TABLE = "Before it.\n\n| Case | Old |\n|:--|--:|\n" + "\n".join(
    f"| r{n} | v{n} |" for n in range(60)
)


def test_every_part_of_a_table_that_is_cut_has_its_heading() -> None:
    for limit in range(100, 400, 19):
        read = [piece for part in split(TABLE, limit) for piece in pieces(part)]
        assert [piece.text for piece in read if not piece.rows] == ["Before it."], limit
        tables = [piece.rows for piece in read if piece.rows]
        assert all(rows[0] == ("Case", "Old") and len(rows) > 1 for rows in tables), limit
        assert [row[0] for rows in tables for row in rows[1:]] == [f"r{n}" for n in range(60)]


def test_the_beginning_of_a_text_shows_a_table_or_none_of_it() -> None:
    for limit in range(12, 120):
        begun = sentences(TABLE, limit)
        assert len(begun) <= limit
        assert not any("|" in piece.text for piece in pieces(begun) if not piece.rows), limit


def test_on_one_line_a_table_is_a_list_of_its_cells() -> None:
    text = "See `a | b - c`:\n| Case | Old |\n|---|---|\n| x | 1 |\n| y | |\n\nx | y"
    assert shortened(text, 200) == "See `a | b - c`: Case, Old; x, 1; y; x | y"
