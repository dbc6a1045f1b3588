"""A stream that calls itself a terminal, and what a terminal's styles look like in it."""

from __future__ import annotations

import io
import re

STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """Returns what is written on it, without styles and blanks at the ends."""
        return [line.rstrip() for line in STYLE.sub("", self.getvalue()).splitlines()]
