"""Functions that foreign text could make of ours: for the processes that are to withstand them."""

from __future__ import annotations

import os
import time
from pathlib import Path

from core.errors import BadInput, CouldNotFinish


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


def bounds(text: str) -> tuple[int, int]:
    """(this process, the bytes that it may take)."""
    import resource

    return os.getpid(), resource.getrlimit(resource.RLIMIT_AS)[0]


def stepped_back(_text: str) -> int:
    """How far this process stands behind others where processors are busy."""
    return os.getpriority(os.PRIO_PROCESS, 0)
