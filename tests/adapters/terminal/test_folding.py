"""Long lines on a terminal."""

from __future__ import annotations

import pytest

from adapters.terminal.printing import fold

EXAMPLE = "  debate schedule add daily https://github.com/OWNER/REPO --label review"


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ("short", ["short"]),
        ("  audit  who did what when", ["  audit  who did what", "         when"]),
        ("ok  disk  much of it is left", ["ok  disk  much of it", "          is left"]),
        ("      -> Set the key of it", ["      -> Set the key", "         of it"]),
        ("- one: a round of all seats", ["- one: a round of all", "  seats"]),
        ("One sentence of some length", ["One sentence of some", "  length"]),
        (EXAMPLE, [EXAMPLE]),
    ],
)
def test_a_line_goes_on_where_its_last_column_begins(line: str, pieces: list[str]) -> None:
    assert fold(line, 21) == pieces
    assert fold(line, 0) == [line]
