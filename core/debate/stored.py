"""Sentences that are stored in English and said later in a reader's language."""

from __future__ import annotations

from math import ceil

_HOUR, _DAY = 3_600, 86_400


def stored(text: str, /, **fields: object) -> str:
    """Writes a sentence in English and marks it for ``core.languages.stored``. A field whose name
    begins with ``why`` may hold another one, or a fixed name such as a round's title.
    """
    return text.format(**fields) if fields else text


def stored_many(n: int, one: str, many: str, /, **fields: object) -> str:
    """Writes a sentence in the form that its number needs; ``{n}`` in it is the number."""
    return (one if n == 1 else many).format(n=f"{n:,}", **fields)


def lasting(seconds: float) -> str:
    """Writes a length of time: "90 seconds", "10 minutes"; a long one is rounded up: "24 hours",
    "3 days".
    """
    if seconds >= 2 * _DAY:
        return stored_many(ceil(seconds / _DAY), "{n} day", "{n} days")
    if seconds >= 2 * _HOUR:
        return stored_many(ceil(seconds / _HOUR), "{n} hour", "{n} hours")
    if seconds < _HOUR and ceil(seconds) % 60:
        return stored_many(ceil(seconds), "{n} second", "{n} seconds")
    return stored_many(ceil(seconds / 60), "{n} minute", "{n} minutes")
