"""What an address answers, and for how long it asks to be left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from adapters.hooks.receiver import checked_address
from adapters.hooks.sending import Answered, _seconds
from core.debate.errors import BadInput

NOW = datetime(2026, 11, 26, 9, 0, tzinfo=UTC)
DAY = 86_400.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", 0.0), ("0", 0.0), ("1", 1.0), ("1.5", 1.5), ("-3", 0.0), ("soon", 0.0), ("nan", 0.0),
        ("inf", DAY), ("86399", 86_399.0), ("86400", DAY), ("86401", DAY),
        (format_datetime(NOW + timedelta(seconds=90)), 90.0),
        (format_datetime(NOW - timedelta(seconds=90)), 0.0),
        (format_datetime(NOW + timedelta(days=9)), DAY),
        ("Fri, 31 Dec 9999 23:59:59 -2300", 0.0), ("Sat, 01 Jan 0001 00:00:00 +2300", 0.0),
    ],
)  # fmt: skip
def test_a_receiver_may_ask_for_a_day_at_most(text: str, seconds: float) -> None:
    assert _seconds(text, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "arrived", "gone", "busy"),
    [
        (0, False, False, True), (199, False, False, False), (200, True, False, False),
        (204, True, False, False), (299, True, False, False), (300, False, False, False),
        (404, False, False, False), (410, False, True, False), (429, False, False, True),
        (500, False, False, False),
    ],
)  # fmt: skip
def test_what_an_answer_means(status: int, arrived: bool, gone: bool, busy: bool) -> None:
    answer = Answered(status, "")
    assert (answer.arrived, answer.gone, answer.busy) == (arrived, gone, busy)


def test_an_address_has_a_thousand_characters_at_most() -> None:
    for length in (999, 1_000):
        address = "https://h.example/".ljust(length, "x")
        assert checked_address(address, ()) == address
    with pytest.raises(BadInput, match="is no address"):
        checked_address("https://h.example/".ljust(1_001, "x"), ())


def test_a_host_that_the_operator_named_needs_no_tls() -> None:
    for address in ("http://inside.example/x", "https://inside.example/x"):
        assert checked_address(address, ("inside.example",)) == address
