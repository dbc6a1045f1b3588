"""Packs code around a change for every seat: the nearest code as far as there is room, and the
names of the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from adapters.processes.workers import unpacks
from adapters.redaction import redact_lines
from adapters.repository.neighbours import Neighbour, Neighbourhood
from adapters.repository.tree import Tree, tree_of_archive
from core.debate.material import Around, Hunk
from core.debate.material.escaping import show_hidden, show_path
from core.debate.material.rendering import around_chars

_SHARE_OF_WHOLE = 75
"""The percentage of the room that whole functions around changes may take."""
_MOST_NAMED = 20
"""Places that are named if there is no room for them."""


@dataclass(frozen=True, slots=True)
class Pack:
    """The chosen code. ``left`` names places without room, ``tangled`` files that took too long to
    parse. ``secrets`` were replaced.
    """

    pieces: tuple[Around, ...] = ()
    left: tuple[str, ...] = ()
    secrets: int = 0
    tangled: tuple[str, ...] = ()


@unpacks
def pack_of_archive(archive: bytes, hunks: tuple[Hunk, ...], room: int) -> Pack:
    """Returns the same as ``pack`` for a forge's archive."""
    return pack(tree_of_archive(archive), hunks, room)


def pack(tree: Tree, hunks: tuple[Hunk, ...], room: int) -> Pack:
    """Returns the code around ``hunks`` in a tree, at most ``room`` characters of prompt."""
    near = Neighbourhood(tree.files, hunks)
    covered: dict[str, set[int]] = defaultdict(set)
    for path, lines in near.diff_lines.items():
        covered[path].update(lines)
    clean = _Clean(near)
    whole = room * _SHARE_OF_WHOLE // 100
    kept: list[Around] = []
    left: dict[str, None] = {}
    for one in near.ranked():
        pieces = tuple(_pieces(one, one.lines, clean, covered[one.path]))
        cost = around_chars(pieces)
        for fewer in one.fewer:
            if cost > whole:
                pieces = tuple(_pieces(one, fewer, clean, covered[one.path]))
                cost = around_chars(pieces)
        whole -= cost
        if cost > room:
            left[f"{show_path(one.path)}:{one.lines[-1].start} {one.name}"] = None
            continue
        room -= cost
        kept += pieces
        covered[one.path].update(n for piece in pieces for n in range(piece.first, piece.last + 1))
    secrets = clean.secrets({piece.path for piece in kept})
    tangled = tuple(map(show_path, near.tangled))
    return Pack(_in_order(kept), tuple(left)[:_MOST_NAMED], secrets, tangled)


def _in_order(pieces: Iterable[Around]) -> tuple[Around, ...]:
    """Returns the pieces sorted by file, in the order of the files, and by line within one."""
    pieces = list(pieces)
    files = list(dict.fromkeys(piece.path for piece in pieces))
    return tuple(sorted(pieces, key=lambda piece: (files.index(piece.path), piece.first)))


class _Clean:
    """Files' lines, redacted as a whole, so that no secret is cut in two and overlooked."""

    def __init__(self, near: Neighbourhood) -> None:
        self._near = near
        self._lines: dict[str, Sequence[str]] = {}
        self._secrets: dict[str, int] = {}

    def lines(self, path: str) -> Sequence[str]:
        if path not in self._lines:
            self._lines[path], secrets = redact_lines(self._near.lines(path), path)
            self._secrets[path] = len(secrets)
        return self._lines[path]

    def secrets(self, paths: Iterable[str]) -> int:
        return sum(self._secrets[path] for path in paths)


def _pieces(
    one: Neighbour, given: Iterable[range], clean: _Clean, covered: set[int]
) -> Iterator[Around]:
    """Yields those of the neighbour's given lines that are not shown yet, in whole runs; a run
    without any letter or figure is left out.
    """
    lines = clean.lines(one.path)
    wanted = {n for part in given for n in part if n <= len(lines)} - covered
    runs = groupby(enumerate(sorted(wanted)), key=lambda pair: pair[1] - pair[0])
    for _, run in runs:
        numbers = [number for _, number in run]
        texts = tuple(show_hidden(lines[number - 1].rstrip()) for number in numbers)
        if any(any(c.isalnum() for c in text) for text in texts):
            yield Around(one.path, numbers[0], numbers[-1], one.name, one.near, texts)
