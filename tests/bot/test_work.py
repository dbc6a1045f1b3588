"""One rule says when work that failed is tried again, and when it is given up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.forges.refusals import NotAllowed, OutcomeUnknown, RateLimited
from adapters.ports.chat import DeliveryError
from bot.work import TRIES, GivenUp, wait_after
from core.errors import BadInput, CouldNotFinish

NOW = datetime(2026, 5, 3, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("error", "waits", "last"),
    [
        (CouldNotFinish("x"), [2, 4, 8], TRIES),
        (OutcomeUnknown("x"), [2, 4, 8], TRIES),
        (DeliveryError("retry", "x", 5.0), [5, 5, 8], TRIES),
        (RuntimeError("a defect"), [30, 30, 30], TRIES),
        (NotAllowed("x"), [2, None], 2),
        (BadInput("x"), [None], 1),
        (GivenUp("x"), [None], 1),
        (RateLimited("x", None), [60, 120, 240], None),
        (RateLimited("x", NOW + timedelta(minutes=9)), [540, 540], None),
        (RateLimited("x", NOW - timedelta(minutes=9)), [1, 1], None),
    ],
)
def test_waits_grow_and_tries_end(
    error: Exception, waits: list[float | None], last: int | None
) -> None:
    assert [wait_after(error, n, NOW) for n in range(1, len(waits) + 1)] == waits
    ended = [n for n in range(1, 40) if wait_after(error, n, NOW) is None]
    assert ended[:1] == ([last] if last else [])


@given(st.integers(1, 10_000), st.floats(0, 5000))
def test_a_wait_is_no_shorter_than_asked_for(attempt: int, after: float) -> None:
    wait = wait_after(DeliveryError("retry", "x", after), attempt, NOW)
    assert wait is None or wait >= after
    assert wait is None or wait <= max(after, 900)
