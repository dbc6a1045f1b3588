"""Brings the changes of a series to its end state: each file once, with what all of them change.

The state between two changes of a file is known in part only: the lines that a hunk of either
shows. Each of them came from the old state or not and is in the new state or not, which gives its
mark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def end_state(
    changes: Sequence[Change], *, usual: bool | None
) -> tuple[tuple[FileDiff, ...], bool | None]:
    """Returns each file once, in the order of the diff, and whether the series has its newest
    change first. ``usual`` is what its messages say of that; None if nothing tells. Files that
    depend on an unknown order are not read.
    """
    changes = list(_numbered(changes))
    newest_first = _newest_first(changes)
    if newest_first is None:
        newest_first = usual
    files = _joined(changes, newest_first=bool(newest_first))
    if newest_first is not None or len({one.patch for one in changes}) < 2:
        return files, newest_first
    others = _joined(changes, newest_first=True)
    same = {*files} & {*others}
    unknown = stored("their order is not known")
    named: dict[str, FileDiff] = {}
    for file in (*files, *others):
        named.setdefault(file.path, file if file in same else _not_joined(file, unknown))
    return tuple(named.values()), None


def _joined(changes: Sequence[Change], *, newest_first: bool) -> tuple[FileDiff, ...]:
    ordered = changes
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
    return tuple(files)


def _numbered(changes: Sequence[Change]) -> Iterator[Change]:
    """Yields the changes of a series without messages with a number for each: a file that comes
    again begins the next one, unless it comes as another kind of file.
    """
    present: dict[str, Change] = {}
    patch = more = 0
    for change in changes:
        file = change.file
        again = change.patch == patch and _comes_again(change, present)
        if again or change.patch != patch:
            present.clear()
        more += again
        patch = change.patch
        present[file.path] = change
        if file.status is FileStatus.RENAMED:
            present.setdefault(file.old_path, change)
        yield replace(change, patch=patch + more)


def _comes_again(change: Change, present: Mapping[str, Change]) -> bool:
    file, before, source = change.file, present.get(change.file.path), None
    if file.status is FileStatus.RENAMED:
        source = present.get(file.old_path)
    if source is not None and (
        source.file.status in (FileStatus.ADDED, FileStatus.MODIFIED) or _continues(source, change)
    ):
        return True
    if before is None or before.file == file or before.file.status is FileStatus.DELETED:
        return False
    if before.file.path == file.path or file.status is FileStatus.MODIFIED:
        return True
    return _continues(change, before)


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
            return _not_joined(second, why)
        return replace(second, hunks=(), binary=False, problem=problem)


def _not_joined(file: FileDiff, why: str) -> FileDiff:
    problem = stored("several changes of the series that can't be read together ({why})", why=why)
    return replace(file, hunks=(), binary=False, problem=problem)


def _newest_first(changes: Sequence[Change]) -> bool | None:
    """Returns True if later changes in the diff come before earlier ones: by the contents that git
    names, or by the order in which fewer changes contradict each other. None if neither tells.
    """
    pairs = list(_neighbours(changes))
    forward = sum(_continues(one, two) for one, two in pairs)
    backward = sum(_continues(two, one) for one, two in pairs)
    if forward == backward:
        forward = -_contradictions(changes)
        backward = -_contradictions(sorted(changes, key=lambda one: one.patch, reverse=True))
    if forward == backward:
        return None
    return backward > forward


def _neighbours(changes: Sequence[Change]) -> Iterator[tuple[Change, Change]]:
    """Yields each two changes of a series with a name in common and none between them."""
    last: dict[str, Change] = {}
    for change in changes:
        names = {change.file.path, change.file.old_path or change.file.path}
        for name in names & last.keys():
            if last[name].patch != change.patch:
                yield last[name], change
        last |= dict.fromkeys(names, change)


def _continues(first: Change, second: Change) -> bool:
    """Return whether a change begins with the content that another one leaves."""
    left, begun = first.blobs[1], second.blobs[0]
    same = left.startswith(begun) or begun.startswith(left)
    known = bool(left.strip("0") and begun.strip("0"))
    return same and known and first.file.path == (second.file.old_path or second.file.path)


def _contradictions(changes: Iterable[Change]) -> int:
    """Returns how many changes can't follow those before them: their file is gone, there already
    or has another text.
    """
    wrong = 0
    left: dict[str, FileDiff | None] = {}  # what is known of a file after its last change
    for _, some in groupby(changes, key=lambda one: one.patch):
        files = [change.file for change in some]
        gone = {file.path for file in files if file.status is FileStatus.DELETED}
        gone |= {file.old_path for file in files if file.status is FileStatus.RENAMED}
        for file in files:
            if file.status is FileStatus.ADDED or file.old_path:
                wrong += left.get(file.path) is not None and file.path not in gone
            if file.status is not FileStatus.ADDED:
                before = file.old_path or file.path
                wrong += before in left and not _follows(left[before], file)
        left |= dict.fromkeys(gone)
        left |= {file.path: file for file in files if file.status is not FileStatus.DELETED}
    return wrong


def _follows(first: FileDiff | None, second: FileDiff) -> bool:
    if first is None:
        return False
    try:
        composed(first, second)
    except NotComposable:
        return not (first.hunks and second.hunks)
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
