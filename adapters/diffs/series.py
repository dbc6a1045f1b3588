"""Brings the changes of a series to its end state: each file once, with what all of them change.

The state between two changes of a file is known in part only: the lines that a hunk of either
shows. Each of them came from the old state or not and is in the new state or not, which gives its
mark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from core.debate.material import Hunk, Line
from core.debate.material.diffs import FileDiff, FileStatus, hunk_header
from core.debate.stored import stored

_CONTEXT = 3


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
    changes = list(_numbered(changes))
    newest_first = _newest_first(changes, logged=logged)
    ordered: Sequence[Change] = changes
    if newest_first:
        ordered = sorted(changes, key=lambda one: one.patch, reverse=True)
    files: list[FileDiff] = []
    ends: dict[str, tuple[int, int]] = {}  # the places of files, and the changes of the last ones
    for change in ordered:
        file = change.file
        name = file.path
        moved = file.status is FileStatus.RENAMED and file.old_path in ends
        if moved and ends[file.old_path][1] != change.patch:  # else one change swaps two files
            name = file.old_path
        at, _ = ends.pop(name, (len(files), 0))
        if at == len(files):
            files.append(file)
        elif files[at] != file:
            files[at] = _together(files[at], file)
        ends[files[at].path] = at, change.patch
    return tuple(files), newest_first


def _numbered(changes: Sequence[Change]) -> Iterator[Change]:
    """Yields the changes of a series without messages with a number for each: a file that comes
    again begins the next one, unless it comes as another kind of file.
    """
    present: dict[str, FileDiff] = {}
    patch = more = 0
    for change in changes:
        file, before = change.file, present.get(change.file.path)
        if change.patch != patch:
            present.clear()
        elif before is not None and before != file and before.status is not FileStatus.DELETED:
            more += 1
            present.clear()
        patch = change.patch
        present[file.path] = file
        yield replace(change, patch=patch + more)


def _together(first: FileDiff, second: FileDiff) -> FileDiff:
    try:
        return composed(first, second)
    except NotComposable:
        problem = first.problem or second.problem
        if not problem and first.binary and second.binary:
            return second
        if not problem:
            why = first.lost or second.lost or stored("its text is not in all of them")
            if why not in (first.lost, second.lost) and first.hunks and second.hunks:
                why = stored("they do not follow each other")
            problem = stored(
                "several changes of the series that can't be read together ({why})", why=why
            )
        return replace(second, hunks=(), binary=False, problem=problem)


def _newest_first(changes: Sequence[Change], *, logged: bool) -> bool:
    """Returns True if later changes in the diff come before earlier ones: by the contents that git
    names, by which order fits, or as logs have it.
    """
    pairs = list(_following(changes))
    forward = sum(_same(one.blobs[1], two.blobs[0]) for one, two in pairs)
    backward = sum(_same(one.blobs[0], two.blobs[1]) for one, two in pairs)
    if forward == backward:
        forward = sum(_fits(one, two) for one, two in pairs)
        backward = sum(_fits(two, one) for one, two in pairs)
    if forward == backward:
        return logged
    return backward > forward


def _following(changes: Sequence[Change]) -> Iterable[tuple[Change, Change]]:
    """Yields each two changes of a series that follow each other in one file."""
    last: dict[str, Change] = {}
    for change in changes:
        path = change.file.path
        before = last.get(path)
        if before is None and change.file.hunks:  # without them it fits before and after
            before = last.get(change.file.old_path)
        if before is not None and before.patch != change.patch:
            yield before, change
        last[path] = change


def _same(one: str, other: str) -> bool:
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def _fits(first: Change, second: Change) -> bool:
    if first.blobs[1] and second.blobs[0] and not _same(first.blobs[1], second.blobs[0]):
        return False
    try:
        composed(first.file, second.file)
    except NotComposable:
        return False
    return True


class NotComposable(Exception):
    """The two changes do not follow each other, or their text is not there."""


def composed(first: FileDiff, second: FileDiff) -> FileDiff:
    """Returns the change that two changes of a file make together. Raises ``NotComposable``."""
    for one in (first, second):
        if one.problem or one.binary or one.submodule or one.lost:
            raise NotComposable
    gone = first.status is FileStatus.DELETED
    if gone is not (second.status is FileStatus.ADDED):
        raise NotComposable
    stretches = _stretches(_side(first, after=True), _side(second, after=False))
    remarks = dict.fromkeys((*first.remarks, *second.remarks))
    hunks = tuple(hunk for some in stretches for hunk in _hunks(second.path, _settled(some)))
    if not hunks and (first.hunks or second.hunks):
        remarks[stored("changed and changed back in the series")] = None
    made = replace(second, remarks=tuple(remarks), hunks=hunks)
    match first.status:
        case FileStatus.DELETED:
            return replace(made, status=FileStatus.MODIFIED, old_path="")
        case FileStatus.ADDED:
            return replace(made, status=FileStatus.ADDED, old_path="")
        case FileStatus.RENAMED | FileStatus.COPIED if second.status is not FileStatus.DELETED:
            return replace(made, status=first.status, old_path=first.old_path)
        case FileStatus.RENAMED:
            return replace(made, path=first.old_path)
        case _:
            return made


@dataclass(slots=True)
class _Side:
    """A change as seen from the state between: the lines of that state which it shows, the number
    of each on the other side (None if it is not there), and the lines of the other side only, each
    before a line of this state.
    """

    texts: dict[int, str] = field(default_factory=dict)
    others: dict[int, int | None] = field(default_factory=dict)
    only: dict[int, list[Line]] = field(default_factory=lambda: defaultdict(list))
    shifts: list[tuple[int, int]] = field(default_factory=list)

    def other(self, number: int) -> int | None:
        """Returns the number of a line on the other side; None if it is not there."""
        if number in self.others:
            return self.others[number]
        shift = 0
        for start, after in self.shifts:
            if start > number:
                break
            shift = after
        return number + shift


def _side(file: FileDiff, *, after: bool) -> _Side:
    side = _Side()
    shift = 0
    for hunk in file.hunks:
        here = _start(hunk, after=after)
        for line in hunk.lines:
            number, other = (line.new, line.old) if after else (line.old, line.new)
            if number is None:
                side.only[here].append(line)
                shift += 1
                continue
            if number < here:
                raise NotComposable
            side.texts[number] = line.text
            side.others[number] = other
            shift -= other is None
            here = number + 1
        side.shifts.append((here, shift))
    return side


def _start(hunk: Hunk, *, after: bool) -> int:
    """Returns the number of the first line of a hunk on one side; of a side without lines, of the
    line that would follow. Raises ``NotComposable`` if that was lost when changes without context
    were put together.
    """
    numbers = (line.new if after else line.old for line in hunk.lines)
    first = next((number for number in numbers if number is not None), None)
    if first is not None:
        return first
    spans = hunk.header.split("@@")[1].split()
    before, other = (int(span[1:].split(",")[0]) for span in (spans if not after else spans[::-1]))
    if not before and other > 1:
        raise NotComposable
    return before + 1


def _stretches(first: _Side, second: _Side) -> Iterator[list[Line]]:
    """Yields the lines of both changes, marked from the old state to the new one; each list is of
    lines that follow each other without unknown ones between them.
    """
    numbers = sorted({*first.texts, *second.texts, *first.only, *second.only})
    stretch: list[Line] = []
    for at, number in enumerate(numbers):
        if at and number > numbers[at - 1] + 1:
            yield stretch
            stretch = []
        stretch += (Line("-", line.text, old=line.old) for line in first.only.get(number, ()))
        stretch += (Line("+", line.text, new=line.new) for line in second.only.get(number, ()))
        text = first.texts.get(number, second.texts.get(number))
        if text is None:
            continue  # the place behind the last line that is shown
        if second.texts.get(number, text) != text:
            raise NotComposable
        old, new = first.other(number), second.other(number)
        if old is not None or new is not None:
            mark = " " if None not in (old, new) else "+" if old is None else "-"
            stretch.append(Line(mark, text, old, new))
    yield stretch


def _settled(lines: Sequence[Line]) -> list[Line]:
    """Returns the lines with the removed ones before the added ones of each place; those that come
    back as they were are unchanged.
    """
    settled: list[Line] = []
    removed: list[Line] = []
    added: list[Line] = []
    for line in (*lines, None):
        if line is not None and line.mark != " ":
            (removed if line.mark == "-" else added).append(line)
            continue
        before = _alike(zip(removed, added, strict=False))
        after = _alike(
            zip(reversed(removed[len(before) :]), reversed(added[len(before) :]), strict=False)
        )
        settled += before
        settled += removed[len(before) : len(removed) - len(after)]
        settled += added[len(before) : len(added) - len(after)]
        settled += reversed(after)
        removed, added = [], []
        if line is not None:
            settled.append(line)
    return settled


def _alike(pairs: Iterable[tuple[Line, Line]]) -> list[Line]:
    same: list[Line] = []
    for removed, added in pairs:
        if removed.text != added.text:
            break
        same.append(Line(" ", removed.text, removed.old, added.new))
    return same


def _hunks(path: str, lines: Sequence[Line]) -> Iterator[Hunk]:
    """Yields hunks with at most three lines around each change."""
    changed = [at for at, line in enumerate(lines) if line.mark != " "]
    spans = (range(at - _CONTEXT, at + _CONTEXT + 1) for at in changed)
    near = sorted({n for span in spans for n in span if 0 <= n < len(lines)})
    for _, group in groupby(enumerate(near), key=lambda pair: pair[1] - pair[0]):
        some = tuple(lines[at] for _, at in group)
        yield Hunk(path, hunk_header(some), some)
