"""Words and crontab, and what happens when a clock is changed."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.schedules.cron import Rule, rule
from core.debate.errors import BadInput

HELSINKI = "Europe/Helsinki"
_MANY = ",".join(str(number % 60) for number in range(100))
HOSTILE = [
    "* * * * *", "*/1 * * * *", "0-59 0-23 1-31 1-12 0-7", "0-59 * 29 2 *", f"{_MANY} * * * *",
    "0 0 29 2 *", "0 0 29 2 */7", "0 0 29 feb mon", "0 0 last 2 *", "0 0 LW * *", "0 0 30 2 *",
    "0 0 31 2,4,6,9,11 *", f"* * * * {','.join(['0-7'] * 70)}", f"0 0 * * 1-5/{'9' * 250}",
    f"*/{'9' * 250} * * * *", f"{'9' * 290} * * * *", f"* * {'1,' * 140}1 * *", "* * 1-31/31 * *",
    "٣ ٣ * * *", "0 0 1 1 mon#5", "0 0 * * sun-sat,sun-sat", "0 0 L * L", f"{'*,' * 140}* * * * *",
    f"every {'monday ' * 40}9:00", f"{'9:00 ' * 60}", "every weekday " + "at " * 90, "９ ９ * * *",
]  # fmt: skip
"""Rules that match very often, very seldom or never, huge, doubled, and in other digits; 300
characters at most, as the surfaces take them.
"""
_MOST_CALLS = 60_000


@pytest.mark.parametrize("tz", ["UTC", HELSINKI])
def test_a_rule_is_worked_out_in_few_steps_whatever_it_says(tz: str) -> None:
    """Counted are the calls of functions in Python while a rule is read, its shortest pause and its
    next firing are looked for: fifty lookings at a rule of every minute were ten times as many.
    """
    calls = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    for words in HOSTILE:
        calls = 0
        sys.setprofile(count)
        try:
            with suppress(BadInput):
                parsed = rule(words[:300], tz)
                parsed.shortest_pause(datetime(2026, 11, 23, tzinfo=UTC))
                parsed.after(datetime(2026, 11, 23, tzinfo=UTC))
        finally:
            sys.setprofile(None)
        assert calls < _MOST_CALLS, words


def test_words_are_crontab() -> None:
    cases: list[tuple[str, str]] = [
        ("every weekday 09:00", "0 9 * * mon-fri"),
        ("Every Weekday at 9am", "0 9 * * mon-fri"),
        ("weekdays", "0 9 * * mon-fri"),
        ("0 9 * * mon-fri", "0 9 * * mon-fri"),
        ("0 9 * * mon-fri/2", "0 9 * * mon-fri/2"),
        ("daily", "0 9 * * *"),
        ("every day at 17.30", "30 17 * * *"),
        ("9:05", "5 9 * * *"),
        ("every tuesday 9", "0 9 * * tue"),
        ("mondays at 10", "0 10 * * mon"),
        ("on Mondays, Wednesdays and Fridays at 4:45 pm", "45 16 * * mon,wed,fri"),
        ("mon-fri 8:15", "15 8 * * mon-fri"),
        ("monday to thursday at noon", "0 12 * * mon-thu"),
        ("every sunday midnight", "0 0 * * sun"),
        ("every weekend", "0 9 * * sat,sun"),
        ("weekly on friday 17:00", "0 17 * * fri"),
        ("every month on the 1st 09:00", "0 9 1 * *"),
        ("monthly 15th at noon", "0 12 15 * *"),
        ("hourly", "0 * * * *"),
        ("every hour", "0 * * * *"),
        ("every 2 hours", "0 */2 * * *"),
        ("every 30 minutes", "*/30 * * * *"),
        ("@daily", "0 0 * * *"),
        ("12am daily", "0 0 * * *"),
        ("12pm daily", "0 12 * * *"),
    ]
    for words, cron in cases:
        assert rule(words) == Rule(cron, "UTC")


def test_a_rule_is_told_in_words() -> None:
    cases: list[tuple[str, str]] = [
        ("0 9 * * mon-fri", "at 09:00 on Monday through Friday"),
        ("30 17 * * *", "at 17:30 every day"),
        ("0 10 * * tuesday", "at 10:00 on Tuesday"),
        ("0 9 last * *", "at 09:00 on the last day of every month"),
        ("0 9 1 * mon", "at 09:00 on the first day of the month or on Monday"),
        ("0 9 1-7 * mon", "at 09:00 on every day of the month from 1 through 7 or on Monday"),
        ("0 9 */2 * mon", "at 09:00 on every second day of the month if it is Monday"),
        ("0 9 1-31 * mon", "at 09:00 every day"),
        ("0 9 13 * 0-6", "at 09:00 every day"),
        ("0 9 31 * *", "at 09:00 on the 31st day of every month"),
        (
            "0 9 11-13,22 * *",
            "at 09:00 on every day of the month from 11 through 13 and the 22nd day of the month",
        ),
        ("0 9 12,13,21 * *", "at 09:00 on the 12th, the 13th, and the 21st day of the month"),
        ("0 * * * *", "at the start of every hour"),
        ("*/30 * * * *", "every 30th minute of every hour"),
    ]
    for cron, words in cases:
        assert rule(cron, "Europe/Berlin").words == f"{words}, Europe/Berlin"


def test_what_is_no_time_is_said_with_examples() -> None:
    cases: list[tuple[str, str]] = [
        ("soon", "I can't read “soon” as a time. Examples: "),
        ("9", "I can't read"),
        ("every other day", "I can't read"),
        ("every 7 minutes", "I can't read"),
        ("every weekday 9:00 10:00", "I can't read"),
        ("25:00 daily", "I can't read"),
        ("13pm daily", "I can't read"),
        ("every month on the 32nd", "I can't read"),
        ("0 25 * * *", "is no crontab time: 25 is no hour \\(0 to 23\\)"),
        ("0 9 * * 8", "'8' is no day of the week"),
        ("0 9 30 2 *", "“0 9 30 2 \\*” never comes"),
        ("* * * *", "I can't read"),
        ("every day at 9 Europe/Helsinky", "'Europe/Helsinky'. Did you mean Europe/Helsinki?"),
        ("", "I can't read"),
        ("every weekday 09:00 PST", r"zone 'PST'\. Write it like Europe/Berlin, or UTC\."),
        ("every weekday 9am pst", "There is no time zone 'pst'"),
        ("every weekday at 09:00 (AEST)", "There is no time zone 'AEST'"),
        ("09:00 CEST every weekday", "There is no time zone 'CEST'"),
        ("0 9 * * mon-fri PDT", "There is no time zone 'PDT'"),
        ("every monday 14:30 UTC+2", r"There is no time zone 'UTC\+2'"),
        ("60 9 * * *", "60 is no minute \\(0 to 59\\)"),
        ("0 9 0 * *", "0 is no day of the month \\(1 to 31\\)"),
        ("0 9 * 13 *", "13 is no month \\(1 to 12 or jan to dec\\)"),
        ("0 9 * * mon/0", "'mon/0' has no step"),
        ("0 9-8 * * *", "9-8 is no hour \\(0 to 23\\)"),
    ]
    for words, says in cases:
        with pytest.raises(BadInput, match=says):
            rule(words)


def test_a_zone_is_found_however_it_is_written() -> None:
    assert rule("every weekday 09:00 Europe/Helsinki").tz == HELSINKI
    assert rule("daily", "europe/helsinki").tz == HELSINKI
    assert rule("daily UTC").tz == "UTC"
    assert rule("09:00 Europe/Helsinki every weekday").tz == HELSINKI
    assert rule("EVERY WEEKDAY 09:00 UTC") == Rule("0 9 * * mon-fri", "UTC")
    with pytest.raises(BadInput, match="names two zones, PST and Europe/Helsinki: leave one out"):
        rule("daily PST", HELSINKI)
    with pytest.raises(BadInput, match="Did you mean Europe/Helsinki"):
        rule("daily", "Helsinki")
    with pytest.raises(BadInput, match="no time zone"):
        rule("daily", "../../etc/passwd")


def firings(cron: str, tz: str, start: datetime, number: int) -> list[str]:
    out, at = [], start
    for _ in range(number):
        moment = Rule(cron, tz).after(at)
        assert moment is not None
        out.append(moment.astimezone(ZoneInfo(tz)).strftime("%d %H:%M%z"))
        at = moment
    return out


def test_crontab_counts_from_sunday_and_a_day_of_either_kind_counts() -> None:
    start = datetime(2026, 11, 21, 12, tzinfo=UTC)  # a Saturday
    for cron, days in (
        ("0 9 * * 0", "22 29"),
        ("0 9 * * 7", "22"),
        ("0 9 * * 5-7", "22 27 28"),
        ("0 9 * * fri-mon", "22 23 27"),
        ("0 9 * * */2", "22 24 26 28"),
        ("0 9 * * mon/2", "23 25 27 30"),  # from Monday to the end of the week
        ("0 9 25 * mon", "23 25 30"),
        ("0 9 last * *", "30 31"),
    ):
        expected = [f"{day} 09:00+0000" for day in days.split()]
        assert firings(cron, "UTC", start, len(expected)) == expected, cron
    assert Rule("0 12 29 2 *", "UTC").after(start) == datetime(2028, 2, 29, 12, tzinfo=UTC)
    assert Rule("0 9 31 4 *", "UTC").after(start) is None


def test_spring_a_time_that_does_not_exist_comes_when_the_clock_has_jumped() -> None:
    start = datetime(2026, 3, 28, 20, tzinfo=UTC)  # on the 29th 03:00 becomes 04:00
    assert firings("30 3 * * *", HELSINKI, start, 2) == ["29 04:00+0300", "30 03:30+0300"]
    assert firings("0 3,4 * * *", HELSINKI, start, 2) == ["29 04:00+0300", "30 03:00+0300"], (
        "one firing, not two at once"
    )
    hours = firings("0 * * * *", HELSINKI, datetime(2026, 3, 28, 23, 30, tzinfo=UTC), 3)
    assert hours == ["29 02:00+0200", "29 04:00+0300", "29 05:00+0300"]


def test_autumn_a_time_that_comes_twice_fires_the_first_time() -> None:
    start = datetime(2026, 10, 24, 20, tzinfo=UTC)  # on the 25th 04:00 becomes 03:00
    assert firings("30 3 * * *", HELSINKI, start, 2) == ["25 03:30+0300", "26 03:30+0200"]
    hours = firings("0 * * * *", HELSINKI, datetime(2026, 10, 24, 22, 30, tzinfo=UTC), 4)
    assert hours == ["25 02:00+0300", "25 03:00+0300", "25 03:00+0200", "25 04:00+0200"]
    halves = firings("*/30 * * * *", HELSINKI, datetime(2026, 10, 24, 23, 45, tzinfo=UTC), 5)
    assert halves == [
        "25 03:00+0300", "25 03:30+0300", "25 03:00+0200", "25 03:30+0200", "25 04:00+0200",
    ]  # fmt: skip


CRONS = (
    "0 9 * * mon-fri", "30 3 * * *", "15 */6 * * *", "0 0 1 * *", "45 2 * * sun", "0 12 29 2 *",
)  # fmt: skip
ZONES = (HELSINKI, "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "UTC")


@given(
    st.sampled_from(CRONS),
    st.sampled_from(ZONES),
    st.datetimes(datetime(2024, 1, 1), datetime(2029, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 (bounds are naive by contract)
)
def test_firings_are_strictly_later_and_in_order(cron: str, tz: str, start: datetime) -> None:
    one = Rule(cron, tz)
    first = one.after(start)
    assert first is not None
    times = [start, first, one.after(first) or first + timedelta(days=1)]
    assert all(a < b for a, b in pairwise(times))
    assert one.after(first - timedelta(microseconds=1)) == first, (
        "the same firing is found from anywhere before it"
    )
