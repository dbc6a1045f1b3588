"""What a schedule is about: a repository's pull requests, and which of them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from adapters.forges.port import PullFilter
from bot.schedules.targets import filter_of, repository_of
from core.debate.errors import BadInput
from tests.core.table import START


def test_a_link_to_a_repository_means_its_pull_requests() -> None:
    cases: list[tuple[str, tuple[str, str] | None]] = [
        ("github:o/r", ("github.com", "o/r")),
        ("https://github.com/o/r", ("github.com", "o/r")),
        ("https://github.com/o/r/pulls", ("github.com", "o/r")),
        ("https://git.acme.com/o/r.git", ("git.acme.com", "o/r")),
        ("<https://github.com/o/r>", ("github.com", "o/r")),
        ("https://github.com/o/r/pull/7", None),
        ("https://github.com/o", None),
        ("What should we delete next?", None),
    ]
    for target, repository in cases:
        assert repository_of(target) == repository


def test_a_repository_that_is_none_is_refused() -> None:
    for target in ("github:o", "github:../r"):
        with pytest.raises(BadInput):
            repository_of(target)


def test_filters_are_read_and_where_there_are_none_ten_are_taken() -> None:
    assert filter_of({}, START) == PullFilter("", "", "", None, 10)
    filters = {"label": "x", "base": "main", "author": "ann", "since": "7d", "at-most": "3"}
    span = START - timedelta(days=7)
    assert filter_of(filters, START) == PullFilter("x", "main", "ann", span, 3)
    for text in ("soon", "off"):
        with pytest.raises(BadInput, match="--since takes a time"):
            filter_of({"since": text}, START)
