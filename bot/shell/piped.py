"""Recognizes piped input before anything reads it."""

from __future__ import annotations

import os
import stat
import sys


def is_piped() -> bool:
    """True if standard input is a pipe or a file; it reads nothing."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # there is none, or it is no file
        return False
    return stat.S_ISFIFO(mode) or (stat.S_ISREG(mode) and os.fstat(sys.stdin.fileno()).st_size > 0)
