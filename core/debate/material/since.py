"""Determines what is new in a change since an earlier head, and the fate of its demands.

Two diffs against the base are compared, the earlier one and the current one; commits are not. So a
rebase, a merge of the base branch or a force-push that leaves the author's own lines as they were
is no news, and shifted line numbers do not count. Sources of the idea: "range-diff" of git compares
patches the same way; here it is enough to compare their lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum

from core.debate.ledger import Demand, Fate
from core.debate.material import LEFT, RIGHT, Hunk, Line, LineRange
from core.debate.material.diffs import FileDiff, hunk_header

UNCHANGED = "nothing is debated again. No model was called."
"""The end of the note on a run that has nothing new to debate: the earlier result still holds."""
CONTEXT = 3
"""The unchanged lines of the diff that are shown around new ones."""


class BranchMove(StrEnum):
    """The way in which a branch came from the head that was debated to the present one."""

    PUSH = "push"  # new commits on top
    MERGE = "merge"  # the base branch was merged into it, perhaps with new commits
    REBASE = "rebase"  # the same or new work on a newer base
    FORCE_PUSH = "force_push"  # history was rewritten on the same base
    BASE_CHANGE = "base_change"  # it now goes into another branch


@dataclass(frozen=True, slots=True)
class Since:
    """The previous run: its range (``base`` to ``head``) and its ledger. ``run`` is the number of
    this run, from 2. ``private`` means that it was about private material, so this run is private,
    too.
    """

    base: str
    head: str
    run: int
    base_branch: str = ""
    demands: tuple[Demand, ...] = ()
    private: bool = False


def new_parts(before: Sequence[FileDiff], now: Sequence[FileDiff]) -> tuple[FileDiff, ...]:
    """Returns the files of ``now`` that differ from ``before``, each cut to the hunks around what
    is new.

    A file whose diff is the same is left out; one that could not be read stays as it is.
    """
    known = {file.path: file for file in before}
    parts = []
    for file in now:
        old = known.get(file.path) or known.get(file.old_path)
        if old is None or file.problem or old.problem:
            parts.append(file)
            continue
        hunks = _new_hunks(old, file)
        if hunks or _told(old) != _told(file):
            parts.append(replace(file, hunks=hunks))
    return tuple(parts)


def _told(file: FileDiff) -> tuple[object, ...]:
    return (file.old_path, file.status, file.binary, file.submodule, file.remarks, file.lost)


def _new_hunks(old: FileDiff, now: FileDiff) -> tuple[Hunk, ...]:
    wanted = _news(old.lines, now.lines)
    parts: list[Hunk] = []
    start = 0
    for hunk in now.hunks:
        end = start + len(hunk.lines)
        parts += _around(hunk, [at - start for at in wanted if start <= at < end])
        start = end
    return tuple(parts)


def _news(was: Sequence[Line], now: Sequence[Line]) -> list[int]:
    """Returns the positions in ``now`` of new changed lines, and of the lines next to reverted
    ones. A line of context that comes into the diff is no news.
    """
    matcher = SequenceMatcher(None, [_key(x) for x in was], [_key(x) for x in now], autojunk=False)
    news: set[int] = set()
    for tag, start, end, low, high in matcher.get_opcodes():
        if tag == "equal":
            continue
        news.update(at for at in range(low, high) if now[at].mark != " ")
        if now and any(line.mark != " " for line in was[start:end]):
            news.add(min(low, len(now) - 1))
    return sorted(news)


def _key(line: Line) -> tuple[str, str]:
    return line.mark, line.text


def _around(hunk: Hunk, wanted: Sequence[int]) -> list[Hunk]:
    """Returns the parts of a hunk within ``CONTEXT`` lines of the wanted ones, each with its own
    header.
    """
    spans: list[list[int]] = []
    for at in wanted:
        low, high = max(0, at - CONTEXT), min(len(hunk.lines), at + CONTEXT + 1)
        if spans and low <= spans[-1][1]:
            spans[-1][1] = high
        else:
            spans.append([low, high])
    whole = len(spans) == 1 and spans[0] == [0, len(hunk.lines)]
    if whole:
        return [hunk]
    return [
        replace(hunk, header=hunk_header(part), lines=part)
        for low, high in spans
        if (part := hunk.lines[low:high])
    ]


def fresh_lines(before: Sequence[FileDiff], now: Sequence[FileDiff]) -> tuple[LineRange, ...]:
    """Returns the lines of ``now`` that changed since ``before``, and the lines next to
    changes that were taken back.
    """
    known = {file.path: file for file in before}
    ranges: list[LineRange] = []
    for file in now:
        old = known.get(file.path) or known.get(file.old_path)
        lines = file.lines
        was = [] if old is None else old.lines
        for at in _news(was, lines):
            side = LEFT if lines[at].mark == "-" else RIGHT
            number = lines[at].number_on(side)
            if number is None:
                continue
            last = ranges[-1] if ranges else None
            if last and (last.path, last.side, last.last + 1) == (file.path, side, number):
                ranges[-1] = replace(last, last=number)
            else:
                ranges.append(LineRange(file.path, side, number, number))
    return tuple(ranges)


def followed(
    demands: Iterable[Demand], before: Sequence[FileDiff] | None, now: Sequence[FileDiff]
) -> tuple[Demand, ...]:
    """Returns the demands with their fate: the present place of their lines, or that they changed
    or are gone. Ids are given anew, e1 on. Without the change as it was ``before``, their
    quotations are looked up.
    """
    then, here = {f.path: f for f in before or ()}, {f.path: f for f in now}
    renamed = {f.old_path: f.path for f in now if f.old_path}
    made = []
    for n, demand in enumerate(demands, 1):
        was = demand.finding.path
        path = was if was in here else renamed.get(was, was)
        if before is None:
            fate, line = _quoted_fate(demand, here.get(path))
        else:
            fate, line = _fate(demand, then.get(was), here.get(path))
        made.append(demand.at(path, line, fate, id=f"e{n}"))
    return tuple(made)


def _fate(demand: Demand, before: FileDiff | None, now: FileDiff | None) -> tuple[Fate, int | None]:
    if not demand.finding.path:
        return Fate.CHANGED, None  # it is about the whole, which is not what it was
    if now is None:
        return Fate.GONE, None
    if demand.finding.line is None or demand.lines is None or before is None:
        return Fate.CHANGED, None
    first, last = demand.lines
    moved = _where(before, now, demand.finding.side)
    places = [moved.get(line) for line in range(first, last + 1)]
    if places[0] is not None and None not in places:
        return (Fate.SAME if places[0] == first else Fate.MOVED), places[0]
    left = any(place is not None for place in places) or _quoted_at(demand, now) is not None
    return (Fate.CHANGED if left else Fate.REPLACED), _near(moved, first)


def _quoted_fate(demand: Demand, now: FileDiff | None) -> tuple[Fate, int | None]:
    if now is None and demand.finding.path:
        return Fate.GONE, None
    line = _quoted_at(demand, now) if now is not None else None
    return (Fate.CHANGED if line is None else Fate.MOVED), line


def _quoted_at(demand: Demand, now: FileDiff) -> int | None:
    """Returns the line at which the first quoted line is in the change now; None if nowhere."""
    f = demand.finding
    quoted = next((part.strip() for part in f.quote.split("\n") if part.strip()), "")
    for line in now.lines:
        if quoted and line.text.strip() == quoted and line.number_on(f.side) is not None:
            return line.number_on(f.side)
    return None


def _where(before: FileDiff, now: FileDiff, side: str) -> Mapping[int, int]:
    """Maps old number -> number now, for the lines of one side that both diffs have."""
    was = [line for line in before.lines if line.number_on(side) is not None]
    here = [line for line in now.lines if line.number_on(side) is not None]
    matcher = SequenceMatcher(
        None, [line.text for line in was], [line.text for line in here], autojunk=False
    )
    moved: dict[int, int] = {}
    for block in matcher.get_matching_blocks():
        for step in range(block.size):
            old, new = was[block.a + step].number_on(side), here[block.b + step].number_on(side)
            if old is not None and new is not None:
                moved[old] = new
    return moved


def _near(moved: Mapping[int, int], line: int) -> int | None:
    """Returns the approximate place of a removed line, by the nearest surviving line before it."""
    before = [old for old in moved if old < line]
    if not before:
        return None
    nearest = max(before)
    return moved[nearest] + (line - nearest)
