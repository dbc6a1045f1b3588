"""How much of a provider's limit is left, and how long to wait for more."""

from __future__ import annotations

import pytest

from adapters.models.faults import LONGEST_WAIT
from adapters.models.limits import REQUESTS, TOKENS, RateAllowance, allowance_in

NOW = 1_800_000_000.0


def test_an_allowance_refills_evenly_and_calls_in_flight_count() -> None:
    half = RateAllowance(limit=100, left=50, at=NOW, full=NOW + 10)
    assert half.wait(50, 0, NOW) == 0.0
    assert half.wait(51, 0, NOW) == pytest.approx(0.2)
    assert half.wait(50, 10, NOW) == pytest.approx(2.0)
    assert half.wait(60, 0, NOW + 2) == 0.0
    assert half.wait(61, 0, NOW + 2) == pytest.approx(0.2)
    assert half.wait(1000, 0, NOW) == pytest.approx(10.0)
    assert half.wait(100, 0, NOW + 60) == 0.0
    assert half.wait(100, 1, NOW + 60) == pytest.approx(0.2)


def test_a_full_allowance_that_calls_in_flight_use_up_waits_for_them() -> None:
    full = RateAllowance(limit=10, left=10, at=NOW, full=NOW)
    assert full.wait(10, 0, NOW) == 0.0
    assert full.wait(10, 1, NOW) == LONGEST_WAIT
    empty = RateAllowance(limit=1, left=0, at=NOW, full=NOW)
    assert empty.wait(1, 0, NOW) == pytest.approx(0.001)


def left(remaining: str, limit: str = "", reset: str = "") -> dict[str, str]:
    parts = {"remaining": remaining, "limit": limit, "reset": reset}
    return {f"x-ratelimit-{name}-requests": text for name, text in parts.items() if text}


RESETS = {
    "6m0s": 360.0, "20ms": 0.02, "30": 30.0, "0": 0.0, "86399": 86_399.0, "86400": 60.0,
    "-1": 60.0, "": 60.0, "soon": 60.0, f"{NOW + 90:.0f}": 90.0, f"{NOW:.0f}": 0.0,
    f"{NOW - 1:.0f}": 60.0, f"{NOW + 86_400:.0f}": 60.0, f"{(NOW + 90) * 1000:.0f}": 90.0,
    "2027-01-15T08:01:30Z": 90.0, "2027-01-15T08:01:30": 90.0,
    "2027-01-15T10:01:30+02:00": 90.0, "2027-01-15T07:00:00Z": 0.0,
}  # fmt: skip


@pytest.mark.parametrize("reset", RESETS)
def test_the_time_of_the_refill_is_read_as_providers_write_it(reset: str) -> None:
    read = allowance_in(left("3", "10", reset), REQUESTS, NOW, None)
    assert read is not None
    assert (read.limit, read.left, read.at) == (10.0, 3.0, NOW)
    assert read.full - NOW == pytest.approx(RESETS[reset], abs=1e-6)


def test_a_limit_that_is_not_named_is_the_one_known_before() -> None:
    before = RateAllowance(limit=20, left=1, at=0, full=0)

    def limit(headers: dict[str, str], known: RateAllowance | None) -> float | None:
        read = allowance_in(headers, REQUESTS, NOW, known)
        return read.limit if read is not None else None

    assert limit(left("3"), before) == 20
    assert limit(left("3"), None) == 3
    assert limit(left("3", "2"), None) == 3
    assert limit(left("0"), None) == 1
    assert allowance_in({}, REQUESTS, NOW, before) is before
    for text in ("many", "nan", "inf"):
        assert allowance_in(left(text), REQUESTS, NOW, None) is None
    assert allowance_in(left("3"), TOKENS, NOW, None) is None
    both = {"anthropic-ratelimit-requests-remaining": "5", "x-ratelimit-remaining": "7"}
    assert limit(both, None) == 5
