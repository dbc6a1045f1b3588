"""The result of one of the doctor's checks."""

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
    """One result; ``next`` is the next step, empty where none is needed."""

    part: str
    state: State
    what: str
    next: str = ""
