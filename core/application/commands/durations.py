"""Lengths of time as people type them."""

from __future__ import annotations

import re

_DURATION = re.compile(r"(\d{1,8}(?:\.\d{1,3})?)\s*([a-z]*)")
_OFF = frozenset({"off", "none", "no", "0"})
_SECONDS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
    "w": 604800,
}


def seconds(text: str) -> float | None:
    """Reads ``10m``, ``90s``, ``1.5h``, ``7d``, ``2 hours`` or a plain number of seconds; ``off``
    is 0. Returns None for any other text.
    """
    lowered = text.strip().lower()
    if lowered in _OFF:
        return 0.0
    match = _DURATION.fullmatch(lowered)
    if not match:
        return None
    unit = match[2] or "s"
    each = _SECONDS.get(unit) or _SECONDS.get(unit.removesuffix("s"))
    if each is None:
        return None
    return float(match[1]) * each


def duration(value: float) -> str:
    """Returns the shortest text for this number of seconds."""
    for unit, each in (("d", 86400), ("h", 3600), ("m", 60)):
        if value and value % each == 0:
            return f"{int(value // each)}{unit}"
    return f"{value:.3f}".rstrip("0").rstrip(".") + "s"
