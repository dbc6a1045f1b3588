"""Functions into which foreign text could turn ours, for the processes that are to withstand
them.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from core.debate.errors import BadInput, CouldNotFinish

_KEPT: list[bytearray] = []


def echo(text: str, times: int) -> list[str]:
    return [text] * times


def environment(_text: str) -> list[str]:
    return sorted(os.environ)


def for_ever(_text: str) -> int:
    while True:
        pass


def asleep(_text: str) -> int:
    time.sleep(3600)
    return 0


def hungry(_text: str) -> int:
    return len([bytearray(1 << 24) for _ in range(1 << 16)])


def gone(_text: str) -> int:
    os._exit(0)


def mistaken(_text: str) -> int:
    raise ZeroDivisionError


def refusing(text: str) -> int:
    raise BadInput(f"not {text[:3]}")


def unable(_text: str) -> int:
    raise CouldNotFinish("later")


def lying(_text: str) -> int:
    return "a text"  # type: ignore[return-value]  # what a process that was taken over may say


def writing(text: str) -> int:
    Path(text.strip()).write_bytes(b"x")
    return 0


def holding(size: int, text: str) -> int:
    """Takes so many bytes and returns how many the process may still take beside them."""
    import resource

    held = bytearray(size)
    now = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    return len(held) and resource.getrlimit(resource.RLIMIT_AS)[0] - now


def grown(size: int, text: str) -> int:
    """Keeps so many bytes for good, as a library's memory might, and returns this process's id."""
    _KEPT.append(bytearray(size))
    return os.getpid()


def stepped_back(_text: str) -> int:
    """Returns how far this process stands behind others where processors are busy."""
    return os.getpriority(os.PRIO_PROCESS, 0)
