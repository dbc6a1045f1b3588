"""Withholds approval if there is changed code that no seat read.

Otherwise an author could hide a change in a place that reviewers do not look at (``vendor/``, a
minified file, a lock file, behind a thousand others) next to an edit that everybody likes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.debate.material import Coverage, Read
from core.debate.script import SeatId, Topic, Turn
from core.debate.state import Debate, once
from core.debate.stored import stored


@dataclass(frozen=True, slots=True)
class PartRead:
    """The reading of a part of a large change: the seats ``by`` read it, those in ``missed`` no
    longer will.
    """

    number: int
    paths: tuple[str, ...]
    by: tuple[SeatId, ...]
    missed: tuple[SeatId, ...]


@once
def parts_read(debate: Debate) -> tuple[PartRead, ...]:
    """Returns the parts of a change that is too large for one reading; none of any other."""
    parts = debate.open.material.parts
    turns: dict[int, list[Turn]] = {n: [] for n in range(1, len(parts) + 1)}
    for turn in debate.turns:
        if number := turn.about_the(Topic.PART):
            turns[int(number)].append(turn)
    return tuple(
        PartRead(
            n,
            part.paths,
            tuple(t.seat for t in turns[n] if t.id in debate.finished),
            tuple(t.seat for t in turns[n] if t.id in {*debate.failed, *debate.skipped}),
        )
        for n, part in enumerate(parts, 1)
    )


@once
def covered(debate: Debate) -> tuple[Coverage, ...]:
    """Returns how much of each file was read: as much as the material holds of it and some seat
    read.
    """
    parts = [one for one in parts_read(debate) if one.missed and not one.by]
    lost = {path: one.number for one in parts for path in one.paths}
    if not lost:
        return debate.open.material.coverage
    held = {path for one in parts_read(debate) if one.by for path in one.paths}
    return tuple(
        _without(one, lost[one.path], partly=one.path in held) if one.path in lost else one
        for one in debate.open.material.coverage
    )


def _without(one: Coverage, part: int, *, partly: bool) -> Coverage:
    state = Read.PARTIAL if partly else Read.LEFT_OUT
    reason = stored("no seat read part {part}", part=part)
    return replace(one, state=state, reason=reason, unread=True)


def unread(debate: Debate) -> tuple[Coverage, ...]:
    """Returns the changed files whose code was not read in full."""
    return tuple(one for one in covered(debate) if one.unread)


def approves_unread(debate: Debate, option: str) -> bool:
    """Return whether the option approves, and the code of a changed file was not read in full. The
    mildest options of an ordered ballot approve, none of any other.
    """
    strict = {o.option: o.strict for o in debate.open.template.ballot}
    mildest, strictest = min(strict.values(), default=0), max(strict.values(), default=0)
    return strict.get(option) == mildest < strictest and bool(unread(debate))
