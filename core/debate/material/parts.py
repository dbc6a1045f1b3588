"""Divides a change that is too large for one reading into parts that each fit into a model's
prompt.

A change that fits is one part, shown as usual. Otherwise files follow each other in their reading
order, whole if a part holds them, in pieces if none does; every part names the whole change. Files
that no part holds are named to the seats and to people, one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.debate.material import Hunk, Part
from core.debate.material.coverage import (
    PIECE,
    FileCandidate,
    FittedMaterial,
    block,
    covered,
    fit,
    missing,
    tokens_in,
)
from core.debate.material.diffs import LEGEND, FileDiff, heading, render, split_hunk
from core.debate.material.escaping import show_path

_NAMES, _LEAST = 600, 60
"""The most and the least tokens for naming the files of the parts; the files that no part holds get
as many.
"""
_TITLE = 10
"""The tokens of a part's title and the space between blocks."""


def fit_in_parts(candidates: Sequence[FileCandidate], budget: int, most: int) -> FittedMaterial:
    """Fits the files into at most ``most`` parts of ``budget`` prompt tokens each, or into one
    reading if they fit or only one is allowed.
    """
    once = fit(candidates, budget)
    if most < 2 or not _short_of_room(candidates, once):
        return once
    named = max(_LEAST, min(budget // 10, _NAMES))
    room = budget - 2 * named - tokens_in(LEGEND) - _TITLE
    ordered = sorted(candidates, key=lambda candidate: candidate.rank)
    laid = _Parts(room, most)
    for one in ordered:
        if not one.left_out:
            laid.lay(one.file)
    parts = tuple(laid.written())
    if not parts:  # every piece is too large for any
        return once
    coverage = {id(one): covered(one, laid.read.get(one.file.path)) for one in candidates}
    text = "\n\n".join(
        (LEGEND, _contents(parts, named), *missing([coverage[id(one)] for one in ordered], named))
    )
    laid_hunks = (laid.read.get(one.file.path, ()) for one in ordered if not one.file.submodule)
    hunks = tuple(hunk for some in laid_hunks for hunk in some)
    return FittedMaterial(text, hunks, tuple(coverage[id(one)] for one in candidates), parts)


def _short_of_room(candidates: Sequence[FileCandidate], once: FittedMaterial) -> bool:
    """True if one reading leaves out files that a second could hold."""
    read = sum(len(hunk.lines) for hunk in once.hunks)
    offered = (one.file for one in candidates if not one.left_out and not one.file.submodule)
    return read < sum(len(file.lines) for file in offered)


@dataclass(slots=True)
class _Parts:
    """The parts that are being filled, each with its files' paths and blocks; the last one has
    ``left`` tokens left. ``read`` holds, by path, the hunks of each file that are in some part.
    """

    room: int
    most: int
    left: int = 0
    parts: list[list[tuple[str, str]]] = field(default_factory=list)
    read: dict[str, tuple[Hunk, ...]] = field(default_factory=dict)

    def lay(self, file: FileDiff) -> None:
        """Puts a file into the open part or the next one; in pieces if no part holds it."""
        if self._put(file, file.hunks):
            return
        waiting = self._pieces(file)
        while waiting:
            taken = self._fitting(file, waiting)
            if not taken and not self._next():
                return
            if taken and self._put(file, taken):
                waiting = waiting[len(taken) :]
            elif taken or not self._fitting(file, waiting):
                waiting = waiting[1:]  # lines that are larger than a part

    def _put(self, file: FileDiff, hunks: tuple[Hunk, ...]) -> bool:
        text = block(file, hunks)
        cost = tokens_in(text) + 1
        if cost > self.room or not (cost <= self.left or self._next()):
            return False
        self.left -= cost
        self.parts[-1].append((show_path(file.path), text))
        self.read[file.path] = (*self.read.get(file.path, ()), *hunks)
        return True

    def _next(self) -> bool:
        if len(self.parts) >= self.most:
            return False
        self.parts.append([])
        self.left = self.room
        return True

    def _pieces(self, file: FileDiff) -> list[Hunk]:
        """Splits the file into pieces as long as a part can hold; a single line may still be too
        long.
        """
        room = self.room - tokens_in(heading(file)) - 2
        longest = PIECE
        while True:
            pieces = [piece for hunk in file.hunks for piece in split_hunk(hunk, longest)]
            if longest == 1 or all(tokens_in(render(piece)) < room for piece in pieces):
                return pieces
            longest //= 2

    def _fitting(self, file: FileDiff, pieces: Sequence[Hunk]) -> tuple[Hunk, ...]:
        left = self.left - tokens_in(heading(file)) - 2
        taken = 0
        for piece in pieces:
            left -= tokens_in(render(piece)) + 1
            if left < 0:
                break
            taken += 1
        return tuple(pieces[:taken])

    def written(self) -> Iterator[Part]:
        filled = [part for part in self.parts if part]
        for n, part in enumerate(filled, 1):
            paths, blocks = zip(*part, strict=True)
            yield Part("\n\n".join((f"Part {n} of {len(filled)}", *blocks)), paths)


def _contents(parts: Sequence[Part], tokens: int) -> str:
    """Lists the files of each part, as far as ``tokens`` go."""
    listing = [f"The change is read in {len(parts)} parts:"]
    share = tokens // len(parts)
    for n, part in enumerate(parts, 1):
        line = f"- part {n}: {part.paths[0]}"
        named = 1
        for path in part.paths[1:]:
            if tokens_in(f"{line}, {path} and 999 more") > share:
                break
            line, named = f"{line}, {path}", named + 1
        rest = len(part.paths) - named
        listing.append(f"{line} and {rest} more" if rest else line)
    return "\n".join(listing)
