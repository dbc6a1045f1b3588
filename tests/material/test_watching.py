"""Schedules name repositories and filters; the shelf is the library that the core asks for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from adapters.material import PullFilter, Shelf, is_watch, parse_watch
from core.errors import BadInput
from core.ports import Library


def test_filters_are_read() -> None:
    assert parse_watch("github:o/r") == ("o/r", PullFilter())
    assert parse_watch("github:o/r label:needs-review base:main author:@ann since:2026-05-01 max:5") == (
        "o/r",
        PullFilter("needs-review", "main", "@ann", datetime(2026, 5, 1, tzinfo=UTC), 5),
    )
    assert is_watch(" github:o/r")
    assert not is_watch("github:")
    assert not is_watch("https://github.com/o/r/pull/1")


@pytest.mark.parametrize(
    "tail", ["x", "label:", "colour:red", "since:yesterday", "max:0", "max:51", "max:many", "max:99999999999999999999"]
)
def test_wrong_filters_get_one_line(tail: str) -> None:
    with pytest.raises(BadInput) as refusal:
        parse_watch(f"github:o/r {tail}")
    assert "\n" not in str(refusal.value)


async def test_a_repository_is_not_one_debate() -> None:
    library: Library = Shelf()
    with pytest.raises(BadInput, match="names many pull requests"):
        await library.read("github:o/r", kind="pull_request", budget=1000)
