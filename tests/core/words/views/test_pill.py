"""The mark of a debate in a list, and how long ago it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from adapters.templates.catalogue import find
from core.languages import speaking
from core.words.views.documents.pill import Colour, pill
from core.words.views.language.grammar import ago

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
REVIEW = find("code_review")


@pytest.mark.parametrize(
    ("status", "option", "mechanism", "reached", "mark"),
    [
        ("finished", "request_changes", "majority", True, ("blocked", "Changes requested")),
        ("finished", "request_changes", "findings", False, ("blocked", "Changes requested")),
        ("finished", "request_changes", "majority", False, ("undecided", "No decision")),
        ("waiting", "comment", "majority", True, ("comments", "Comments only")),
        ("stopped", "approve", "majority", True, ("approved", "Approved")),
        ("finished", "no_quorum", "majority", False, ("undecided", "No verdict")),
        ("failed", "approve", "majority", True, ("failed", "failed")),
        ("queued", "", "", False, ("running", "starting")),
        ("paused", "", "", False, ("running", "paused")),
        ("stopped", "", "", False, ("undecided", "stopped")),
        ("finished", "of_a_template_that_is_gone", "majority", True, ("undecided", None)),
    ],
)
def test_the_mark_of_a_debate(
    status: str, option: str, mechanism: str, reached: bool, mark: tuple[str, str | None]
) -> None:
    mark_there = pill(status, option, mechanism, reached=reached, template=REVIEW)
    assert mark_there.colour is Colour(mark[0])
    assert mark[1] in (mark_there.words, None)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(minutes=59, seconds=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=6, hours=23), "6 days ago"),
        (timedelta(days=7), "22 Feb"),
        (timedelta(days=8), "21 Feb"),
        (timedelta(days=90), "1 Dec 2025"),
    ],
)
def test_how_long_ago_it_was(passed: timedelta, words: str) -> None:
    assert ago(NOW - passed, NOW) == words


@pytest.mark.parametrize(
    ("language", "words"), [("de", "vor 4 Tagen"), ("cs", "před 4 dny"), ("en", "4 days ago")]
)
def test_an_age_is_in_the_reader_s_language(language: str, words: str) -> None:
    with speaking(language):
        assert ago(NOW - timedelta(days=4, hours=23), NOW) == words
