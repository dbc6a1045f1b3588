"""What a forge's refusal means, in the sentence that a person reads."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from adapters.forges.refusals import refused


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"message": "no"}', "no"),
        (b'{"error": "no"}', "no"),
        (b'{"message": {"base": ["Title is locked", "too long"], "x": []}}',
            "base Title is locked, too long; x"),
        (b'{"message": ["a", 5, "b"]}', "a, b"),
        (b'[1]', "no reason given"),
        (b'{"message": 5}', "no reason given"),
    ],
)  # fmt: skip
def test_what_a_forge_says_about_a_refusal_is_told(body: bytes, said: str) -> None:
    error = refused("GitLab", 400, {}, body, datetime.now(UTC))
    assert str(error) == f"GitLab refused with status 400: {said}."
