"""Bounds of what a request may hold, and the part of the process that works on it."""

from __future__ import annotations

from enum import StrEnum

TYPED = 20_000
"""Characters of the longest text that a person types."""
SHORT = 300
"""Characters of a name, an id or a choice."""


class RouteWork(StrEnum):
    """The part of the process that works on a request."""

    LOOP = "on the loop"
    THREAD = "in a thread"
    PROCESS = "in a process that can be ended"
