"""Words the time since a moment, or its day if that is longer ago."""

from __future__ import annotations

from datetime import datetime

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
        return "just now"
    if passed < _HOUR:
        return f"{plural(passed // _MINUTE, 'minute')} ago"
    if passed < _DAY:
        return f"{plural(passed // _HOUR, 'hour')} ago"
    if passed < _YOUNG * _DAY:
        return f"{plural(passed // _DAY, 'day')} ago"
    year = "" if at.year == now.year else f" {at.year}"
    return f"{at.day} {at:%b}{year}"
