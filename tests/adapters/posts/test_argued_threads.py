"""An argued review, read word for word."""

from __future__ import annotations

import re

import pytest

from tests.adapters.posts.argued_threads import golden, thread
from tests.adapters.posts.threads import FORMS, PLATFORMS


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_an_argued_review_word_for_word(platform: str, form: str) -> None:
    text = thread(platform, form)
    assert text == golden(platform, form).read_text("utf-8")
    ids = re.findall(r"\b[awrtx]\d+\.?[fc]?\d*\b", re.sub(r"finding \S+", "", text))
    assert ids == [], "only a finding's own small print has its number"
