"""The time for which texts are kept is given in days, or in hours below one day."""

from __future__ import annotations

from bot.debates.retention import _days


def test_how_long_is_in_the_largest_unit_that_fits() -> None:
    for seconds, words in (
        (86_400, "1 day"),
        (3 * 86_400, "3 days"),
        (129_600, "1.5 days"),
        (86_399, "23.9997 hours"),
        (6 * 3600, "6 hours"),
    ):
        assert _days(seconds) == words
