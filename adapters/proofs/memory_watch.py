"""The memory that a program and all its descendants use now."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def used_memory(pid: int) -> int:
    """Returns the bytes of memory that a process and its descendants hold; pages that two of them
    share count twice.
    """
    children: dict[int, list[int]] = {}
    held: dict[int, int] = {}
    for each, parent, pages in _processes():
        children.setdefault(parent, []).append(each)
        held[each] = pages * mmap.PAGESIZE
    total, left = 0, [pid]
    while left:
        one = left.pop()
        total += held.get(one, 0)
        left += children.get(one, [])
    return total


def _processes() -> Iterator[tuple[int, int, int]]:
    """Yields (process, its parent, its pages in memory) of what this machine shows."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                # the name of the program comes in brackets, and may hold any character
                after = (folder / "stat").read_text("utf-8", errors="replace").rpartition(")")[2]
                fields = after.split()
                yield int(folder.name), int(fields[1]), int(fields[21])
