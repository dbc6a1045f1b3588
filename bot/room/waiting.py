"""The progress that every debate waits for: the first one with the embedded model waits for its
weights.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from core.words.views.course.progress import how_far

LASTS = 15.0
"""Seconds after which the last progress is out of date."""


@dataclass(slots=True)
class Waiting:
    """Holds the last progress; ``note`` may be called in any thread."""

    _line: str = ""
    _at: float = float("-inf")

    def note(self, what: str, done: int, of: int) -> None:
        """Records how many bytes of a download are there (``adapters.models.weights.Progress``)."""
        self._line, self._at = how_far(what, done, of), time.monotonic()

    def line(self) -> str:
        """Describes the progress in one line, "" if nothing is awaited."""
        if time.monotonic() - self._at < LASTS:
            return self._line
        return ""
