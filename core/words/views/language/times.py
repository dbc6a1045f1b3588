"""Words the time since a moment, or its day if that is longer ago."""

from __future__ import annotations

from datetime import datetime

from core.languages import day, say
from core.words.views.language.grammar import plural

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_YOUNG = 7
"""The number of days up to which a time is given as its distance."""


def ago(at: datetime, now: datetime) -> str:
    """Writes a moment as "just now", "5 minutes ago", "3 days ago", then as its day: "4 Nov", "4
    Nov 2025".
    """
    passed = int((now - at).total_seconds())
    if passed < _MINUTE:
        return say("just now")
    if passed < _HOUR:
        return say("{minutes} ago", minutes=plural(passed // _MINUTE, "minute"))
    if passed < _DAY:
        return say("{hours} ago", hours=plural(passed // _HOUR, "hour"))
    if passed < _YOUNG * _DAY:
        return say("{days} ago", days=plural(passed // _DAY, "day"))
    return day(at, year=at.year != now.year)
