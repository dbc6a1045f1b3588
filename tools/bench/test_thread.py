"""The bench of threads counts rightly on both platforms."""

from __future__ import annotations

import pytest

from core.words.views.verdict.decision import MOST_WORDS
from tests.adapters.posts.threads import FORMS, PLATFORMS
from tools.bench.thread import before, now


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_review_is_less_to_read_than_it_was(platform: str, form: str) -> None:
    was, is_now = before(platform), now(platform, form)
    assert is_now.messages < was.messages
    assert is_now.words < was.words
    assert (was.legends > 15, is_now.legends) == (True, 0)
    assert (was.ids > 40, is_now.ids) == (True, 1), "the debate's"
    assert is_now.longest <= 1_200 < was.longest
    assert is_now.root <= MOST_WORDS
    assert is_now.verdict <= MOST_WORDS
