"""Reads files that somebody named: only regular ones, and only up to a limit.

A device, a pipe or a socket can answer for ever, and a file can grow while it is read. So a name is
opened without waiting, the open file is checked, and only then it is read, up to a limit.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


class NotRegular(OSError):
    """The name of a device, a pipe, a socket or a folder."""


class FileTooLarge(OSError):
    """The file is larger than the limit."""


def read_regular(path: Path, most: int) -> bytes:
    """Returns the bytes of a regular file of at most ``most`` bytes.

    Raises ``NotRegular``, ``FileTooLarge`` and what opening a file raises.
    """
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular(0, "it is no regular file")
        if status.st_size > most:
            raise FileTooLarge(0, f"it is larger than {_shown(most)}")
        with os.fdopen(opened, "rb", closefd=False) as file:
            data = file.read(most + 1)  # it may grow, and files of /proc say that they are empty
    finally:
        os.close(opened)
    if len(data) > most:
        raise FileTooLarge(0, f"it is larger than {_shown(most)}")
    return data


def _shown(size: int) -> str:
    if size >= 1_000_000:
        return f"{size // 1_000_000} MB"
    return f"{size} bytes"
