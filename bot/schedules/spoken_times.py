"""Parses times in people's words, such as "every weekday 09:00", into five crontab fields."""

from __future__ import annotations

import re

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
"""The days of the week as crontab names them, in its order."""
_NAMES = {name: name[:3] for name in (
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", *DAYS,
    "tues", "weds", "thur", "thurs",
)}  # fmt: skip
_WORKING = ("weekday", "workday", "working day", "week day")
_MORNING = (9, 0)
"""The time of a rule that names none."""

_TIME = re.compile(r"(?:at )?(\d{1,2})(?:[:.](\d{2}))?\s?(am|pm)?")
_EVERY = re.compile(r"(?:every )?(\d{1,2} )?(minute|min|hour)s?")
_MONTHLY = re.compile(
    r"(?:every month|monthly)(?: (\d{1,2})(?:st|nd|rd|th)?)?|every (\d{1,2})(?:st|nd|rd|th)"
)


def crontab_of(words: str) -> str | None:
    """Returns five fields, or None for words that are no time. ``words`` are in lower case."""
    for word, plain in ((",", " "), ("&", " "), ("everyday", "every day"), ("each ", "every ")):
        words = words.replace(word, plain)
    words = " ".join(word for word in words.split() if word not in ("and", "on", "the", "of"))
    if words in ("hourly", "every hour"):
        return "0 * * * *"
    if match := _EVERY.fullmatch(words):
        return _interval(int(match[1] or 1), match[2])
    time, rest = _time_in(words)
    if time is None:
        return None
    hour, minute = time
    days = _days(rest)
    if days is not None:
        return f"{minute} {hour} * * {days}"
    if match := _MONTHLY.fullmatch(rest):
        day = int(match[1] or match[2] or 1)
        if 1 <= day <= 31:
            return f"{minute} {hour} {day} * *"
        return None
    return None


def weekday_of(word: str) -> str:
    """Returns the crontab name of a day of the week, in the plural too; "" if it is none."""
    return _NAMES.get(word) or _NAMES.get(word.removesuffix("s")) or ""


def _interval(number: int, unit: str) -> str | None:
    """Accepts only numbers that divide the hour or the day; others would not keep equal
    distances.
    """
    whole, once, often = 60, "0 * * * *", f"*/{number} * * * *"
    if unit == "hour":
        whole, once, often = 24, "0 0 * * *", f"0 */{number} * * *"
    if number == 0 or whole % number:
        return None
    if number == whole:
        return once
    return often


def _time_in(words: str) -> tuple[tuple[int, int] | None, str]:
    """Returns the time of day and the words without it, or None for an invalid time."""
    for name, time in (("noon", (12, 0)), ("midday", (12, 0)), ("midnight", (0, 0))):
        if re.search(rf"\b{name}\b", words):
            return time, re.sub(rf"\s*(?:\bat )?\b{name}\b", "", words).strip()
    matches = [m for m in _TIME.finditer(words) if m[2] or m[3] or m[0].startswith("at ")]
    if len(matches) > 1:
        return None, words
    if not matches:
        return _bare_hour(words)
    one = matches[0]
    hour, minute = int(one[1]), int(one[2] or 0)
    if one[3]:
        if not 1 <= hour <= 12:
            return None, words
        hour = hour % 12
    if one[3] == "pm":
        hour += 12
    if hour > 23 or minute > 59:
        return None, words
    rest = f"{words[: one.start()]} {words[one.end() :]}"
    return (hour, minute), " ".join(rest.split())


def _bare_hour(words: str) -> tuple[tuple[int, int] | None, str]:
    """Returns the hour of words like "every tuesday 9", else the default morning hour."""
    tail = re.fullmatch(r"(.*[a-z]) (\d{1,2})", words)
    if tail is None or "month" in words:
        return _MORNING, words
    if int(tail[2]) > 23:
        return None, words
    return (int(tail[2]), 0), tail[1]


def _days(words: str) -> str | None:
    """Returns the day-of-week field of words such as "every weekday" or "monday thursday", or
    None.
    """
    bare = words.removeprefix("every ").strip()
    if bare in ("", "day", "daily", "days", "every"):
        return "*"
    if bare.removesuffix("s") in _WORKING:
        return "mon-fri"
    if bare in ("weekend", "weekends"):
        return "sat,sun"
    if bare in ("week", "weekly"):
        return "mon"
    bare = re.sub(r"^(?:weekly|week) ", "", bare)
    if match := re.fullmatch(r"([a-z]+)(?: ?- ?| to | through )([a-z]+)", bare):
        first, last = weekday_of(match[1]), weekday_of(match[2])
        if first and last:
            return f"{first}-{last}"
        return None
    named = [weekday_of(word) for word in bare.split() if word != "every"]
    if named and all(named):
        return ",".join(dict.fromkeys(named))
    return None
