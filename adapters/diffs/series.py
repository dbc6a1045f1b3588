"""Brings the changes of a series to its end state: each file once, with what all of them change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from adapters.diffs.composing import NotComposable, composed
from core.debate.material.diffs import FileDiff, FileStatus
from core.debate.stored import stored

_MOVES = (FileStatus.RENAMED,)


@dataclass(frozen=True, slots=True)
class Change:
    """One file in one change of a series. ``patch`` is the number of the change, ``blobs`` are the
    file's contents before and after, as git abbreviates them.
    """

    file: FileDiff
    patch: int
    blobs: tuple[str, str] = ("", "")


def end_state(changes: Sequence[Change], *, logged: bool) -> tuple[tuple[FileDiff, ...], bool]:
    """Returns each file once, in the order of the diff, and whether the series has its newest
    change first. ``logged`` means that it is a log, which usually has.
    """
    newest_first = _newest_first(changes, logged=logged)
    ordered = sorted(changes, key=lambda one: one.patch, reverse=True) if newest_first else changes
    files: list[FileDiff] = []
    ends: dict[str, int] = {}
    for change in ordered:
        file = change.file
        at = ends.pop(file.old_path if file.status in _MOVES else file.path, None)
        if at is None and file.path in ends:
            at = ends.pop(file.path)
        if at is None:
            files.append(file)
            at = len(files) - 1
        elif files[at] != file:
            files[at] = _together(files[at], file)
        ends[file.path] = at
    return tuple(files), newest_first


def _together(first: FileDiff, second: FileDiff) -> FileDiff:
    try:
        return composed(first, second)
    except NotComposable:
        reasons = [one.problem or one.lost for one in (first, second) if one.problem or one.lost]
        why = reasons[0] if reasons else stored("its text is not in all of them")
        if not reasons and first.hunks and second.hunks:
            why = stored("they do not follow each other")
        return replace(
            second,
            hunks=(),
            binary=first.binary and second.binary,
            problem=stored(
                "several changes of the series that can't be read together ({why})", why=why
            ),
        )


def _newest_first(changes: Sequence[Change], *, logged: bool) -> bool:
    """Returns True if later changes in the diff come before earlier ones: by the contents that git
    names, by which order fits, or as logs have it.
    """
    pairs = list(_following(changes))
    forward = sum(_same(one.blobs[1], two.blobs[0]) for one, two in pairs)
    backward = sum(_same(one.blobs[0], two.blobs[1]) for one, two in pairs)
    if forward == backward:
        forward = sum(_fits(one.file, two.file) for one, two in pairs)
        backward = sum(_fits(two.file, one.file) for one, two in pairs)
    return logged if forward == backward else backward > forward


def _following(changes: Sequence[Change]) -> Iterable[tuple[Change, Change]]:
    """Yields each two changes of a series that follow each other in one file."""
    last: dict[str, Change] = {}
    for change in changes:
        path = change.file.path
        before = last.get(path) or last.get(change.file.old_path)
        if before is not None and before.patch != change.patch:
            yield before, change
        last[path] = change


def _same(one: str, other: str) -> bool:
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def _fits(first: FileDiff, second: FileDiff) -> bool:
    try:
        composed(first, second)
    except NotComposable:
        return False
    return True
