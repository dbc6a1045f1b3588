"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    OFF = "off"  # not configured, and nothing is wrong with that
    CARE = "care"  # works, but look at it
    BROKEN = "broken"  # something that was configured cannot work


@dataclass(frozen=True, slots=True)
class Finding:
    """``next`` is what to do, empty where nothing needs doing."""

    part: str
    state: State
    what: str
    next: str = ""
