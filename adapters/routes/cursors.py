"""Cursors: the beginning of the next page of a list, as an address holds it.

A cursor is the time and the id of the last row of the page before. A paused schedule has no time.
"""

from __future__ import annotations

from datetime import UTC, datetime

_NEVER = "never"
"""The word in place of a time."""
_LONGEST = 100
"""Characters of a cursor."""


def cursor_of(at: datetime | None, id: str) -> str:
    """Returns the cursor of the page that begins behind this row."""
    return f"{at.isoformat() if at else _NEVER}~{id}"


def moment_in(cursor: str) -> tuple[datetime, str] | None:
    """Returns the time and the id in a cursor of a list whose rows all have a time; None for a text
    that is no such cursor.
    """
    moment, _, id = cursor[:_LONGEST].partition("~")
    try:
        at = datetime.fromisoformat(moment)
        known = at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if at.tzinfo is None or not id:
        return None
    return known, id


def position_in(cursor: str) -> tuple[datetime | None, str] | None:
    """Returns the time and the id in a cursor of a list of schedules; None for any other text."""
    at, _, id = cursor[:_LONGEST].partition("~")
    if at == _NEVER:
        return None, id
    return moment_in(cursor)
