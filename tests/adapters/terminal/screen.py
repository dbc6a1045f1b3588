"""A stream that calls itself a terminal, and what a terminal's styles look like in it."""

from __future__ import annotations

import io
import re

STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True
