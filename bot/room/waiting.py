"""What every debate waits for now: the first one with the embedded model waits for its weights."""

from __future__ import annotations

import time
from dataclasses import dataclass

from core.views.course.progress import how_far

LASTS = 15.0
"""Seconds after which what was said last is not true any more."""


@dataclass(slots=True)
class Waiting:
    """``note`` may be called in any thread."""

    _said: str = ""
    _at: float = float("-inf")

    def note(self, what: str, done: int, of: int) -> None:
        """So many bytes of something are there (``adapters.models.weights.Progress``)."""
        self._said, self._at = how_far(what, done, of), time.monotonic()

    def said(self) -> str:
        """In one line, "" where nothing is waited for."""
        if time.monotonic() - self._at < LASTS:
            return self._said
        return ""
