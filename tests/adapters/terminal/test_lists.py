"""A list of debates as a person sees it, and as a pipe gets it; long lines on a terminal."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.terminal.printing import fold
from adapters.terminal.terminal import Terminal
from tests.adapters.terminal.screen import Screen


def row(id: str, status: str, state: str, title: str, **more: Any) -> dict[str, Any]:
    young = (datetime.now(UTC) - timedelta(minutes=90)).isoformat()
    made = {"id": id, "status": status, "state": state, "title": title, "created_at": young}
    return made | {"template": "code_review", "labels": {}, "next": ""} | more


def test_the_verdict_has_a_column_and_what_can_be_typed_stands_below() -> None:
    rows = [
        row("d1k7q2xy", "finished", "changes requested", "Retry\x1b[2J on timeout"),
        row("d2k7q2xy", "paused", "paused", "", labels={"department": "payments"},
            next="go on: debate resume d2k7q2xy"),
    ]  # fmt: skip
    Terminal(out := Screen(), width=90).debates(rows, "text")
    assert out.lines() == [
        "Debate    Verdict            Title                      Kind         Started",
        r"d1k7q2xy  Changes requested  Retry\u001b[2J on timeout  code review  1 hour ago",
        "d2k7q2xy  Paused             code review [payments]     code review  1 hour ago",
        "d2k7q2xy: go on: debate resume d2k7q2xy",
    ]


def test_a_narrow_screen_leaves_the_kind_out_for_the_title() -> None:
    rows = [row("d1k7q2xy", "finished", "changes requested", "payments: ask again")]
    Terminal(out := Screen(), width=60).debates(rows, "text")
    assert out.lines() == [
        "Debate    Verdict            Title                Started",
        "d1k7q2xy  Changes requested  payments: ask again  1 hour ago",
    ]


def test_a_very_narrow_screen_breaks_verdicts_and_titles_between_words() -> None:
    rows = [row("d1k7q2xy", "finished", "changes requested", "payments: ask the gateway again")]
    Terminal(out := Screen(), width=50).debates(rows, "text")
    assert out.lines() == [
        "Debate    Verdict        Title          Started",
        "d1k7q2xy  Changes        payments: ask  1 hour ago",
        "          requested      the gateway",
        "                         again",
    ]


def test_where_nothing_is_laid_out_the_text_stands() -> None:

    Terminal(out := io.StringIO(), width=90).debates([row("d1", "running", "running", "x")], "text")
    assert out.getvalue() == "text\n"
    Terminal(screen := Screen(), width=90).debates([], "Nothing here.")
    assert "Nothing here." in screen.getvalue()


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
