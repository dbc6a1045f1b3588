"""What comes over standard input, before anybody reads it."""

from __future__ import annotations

import os
import stat
import sys


def is_piped() -> bool:
    """Whether something is piped in, or a file is standard input; nothing is read of it yet."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # there is none, or it is no file
        return False
    return stat.S_ISFIFO(mode) or (stat.S_ISREG(mode) and os.fstat(sys.stdin.fileno()).st_size > 0)
