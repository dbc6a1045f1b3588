"""Words the time since a moment, or its day if that is longer ago."""

from __future__ import annotations

from datetime import datetime

from core.languages import day, passed, say

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_YOUNG = 7
"""The number of days up to which a time is given as its distance."""


def ago(at: datetime, now: datetime) -> str:
    """Writes a moment as "just now", "5 minutes ago", "3 days ago", then as its day: "4 Nov", "4
    Nov 2025".
    """
    seconds = int((now - at).total_seconds())
    if seconds >= _YOUNG * _DAY:
        return day(at, year=at.year != now.year)
    for length, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= length:
            return passed(seconds // length, unit)
    return say("just now")
