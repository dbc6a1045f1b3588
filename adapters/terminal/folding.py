"""Long lines on a terminal continue below the beginning of their last column."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap

_COMMAND = "  debate "
_COLUMNS = re.compile(r"(?:\s*\S+(?: \S+)* {2,})+|\s*(?:-|->|•) |\s+")
"""Matches the part of a line before its last column."""


def folded(text: str) -> str:
    """Returns the text for standard output: in lines of the terminal's width if it is a
    terminal.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    return "\n".join(part for line in text.splitlines() for part in fold(line, width))


def fold(line: str, width: int) -> list[str]:
    """Returns the line in pieces of at most ``width`` characters (0: any length); a command stays
    whole.
    """
    if not width or len(line) <= width or line.startswith(_COMMAND):
        return [line]
    begins = _COLUMNS.match(line)
    indent = len(begins[0]) if begins and len(begins[0]) <= width // 2 else 2
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
