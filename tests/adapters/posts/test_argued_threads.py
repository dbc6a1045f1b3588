"""An argued review, read word for word."""

from __future__ import annotations

import re

import pytest

from tests.adapters.posts.argued_threads import golden, thread
from tests.adapters.posts.threads import FORMS, PLATFORMS


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_an_argued_review_word_for_word(platform: str, form: str) -> None:
    assert thread(platform, form) == golden(platform, form).read_text("utf-8")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_no_id_is_read_but_a_finding_s_own_small_print(platform: str, form: str) -> None:
    text = re.sub(r"finding \S+", "", thread(platform, form))
    assert not re.findall(r"\b[awrtx]\d+\.?[fc]?\d*\b", text)
