"""Patches of single files: made from both versions if a forge withholds one, bounded in size."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace

from adapters.diffs.patches import parse_patch
from adapters.diffs.reading_order import rank, why_left_out
from adapters.processes.workers import ReaderFailed, TakesTooMuch, Work
from core.debate.material.diffs import FileDiff, FileStatus

_MOST_FILES = 20
_MOST_LINES = 5_000
"""Lines of the longest file that is compared."""

_MOST = 8_000_000
"""Characters of all patches of a change that are read; each line counts as 25 more, for the memory
that it takes.
"""
_LINE = 25

TextAt = Callable[[str, bool], Awaitable[str | None]]
"""Returns the text of a path, before the change or (True) after it; None if it can't be read."""


def is_readable(diff: bytes) -> bool:
    """Return True if a whole diff is small enough to be read."""
    return len(diff) + _LINE * diff.count(b"\n") <= _MOST


def bounded(
    patches: Iterable[tuple[FileDiff, str | None]],
) -> tuple[tuple[FileDiff, str | None], ...]:
    """Returns the files with their patches. The most important files are taken first; one that no
    longer fits is unread.
    """
    listed, left = list(patches), _MOST
    for at in sorted(range(len(listed)), key=lambda at: rank(listed[at][0].path)):
        file, patch = listed[at]
        lines = (patch or "").count("\n") + 1
        size = len(patch or "") + _LINE * lines
        if patch and size > left:
            listed[at] = (replace(file, problem=f"its diff of {lines:,} lines is too large"), None)
        elif patch:
            left -= size
    return tuple(listed)


async def made_patches(files: Sequence[FileDiff], text_at: TextAt, work: Work) -> dict[str, str]:
    """Returns the patches of withheld files by path, "" for a file whose text is the same. A file
    that is too long, binary or beyond the first twenty by importance is missing.
    """
    worth = [file for file in files if not why_left_out(file)]
    patches = {}
    for file in sorted(worth, key=lambda file: rank(file.path))[:_MOST_FILES]:
        patch = await _made(file, text_at, work)
        if patch is not None:
            patches[file.path] = patch
    return patches


async def _made(file: FileDiff, text_at: TextAt, work: Work) -> str | None:
    old: str | None = ""
    new: str | None = ""
    if file.status is not FileStatus.ADDED:
        old = await text_at(file.old_path or file.path, False)
    if file.status is not FileStatus.DELETED and old is not None:
        new = await text_at(file.path, True)
    if old is None or new is None:
        return None
    if old == new:
        return ""
    try:
        return await work(patch_between, old, new) or None
    except (TakesTooMuch, ReaderFailed):
        return None


def patch_between(old: str, new: str) -> str:
    """Returns the hunks between two texts; "" if one is too long to be compared."""
    before, after = _lines(old), _lines(new)
    if max(len(before), len(after)) > _MOST_LINES:
        return ""
    lines = difflib.unified_diff(before, after, lineterm="")
    return "\n".join(list(lines)[2:])


def _lines(text: str) -> list[str]:
    """Returns the lines, the last one marked as git does if no line feed ends it."""
    lines = text.split("\n")
    if lines[-1]:
        return [*lines[:-1], f"{lines[-1]}\n\\ No newline at end of file"]
    return lines[:-1]


def removed_lines(patch: str) -> frozenset[int]:
    """Returns the old numbers of the lines that a patch takes away or changes."""
    hunks = parse_patch(patch, FileDiff("x")).files[0].hunks if patch else ()
    lines = (line for hunk in hunks for line in hunk.lines)
    return frozenset(x.old for x in lines if x.mark == "-" and x.old is not None)
