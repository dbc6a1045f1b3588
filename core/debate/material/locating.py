"""Finds the place of a quotation: the lines of a change are searched for the quoted text, and the
stated line number only chooses between several places.

Models copy text well and count lines badly, so the quotation is the evidence and the number a hint.
White space, the marks and numbers that a diff is shown with, the kind of quotation marks and
omitted lines do not matter. A quotation that matches nowhere word by word may nearly match
somewhere (``material.nearly``). The lines are joined once into one text, so that each quotation is
one search in it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from core.debate.finding import Stated
from core.debate.material import LEFT, RIGHT, Hunk, LineRange, squeeze
from core.debate.material.escaping import show_hidden, show_path
from core.debate.material.nearly import Nearly, TextRow

SHORTEST = 3
"""The least characters of a quotation, without white space: a single bracket matches anywhere and
proves nothing.
"""
TELLING = 8
"""The characters from which a quotation counts even far from its stated line."""
BESIDE = 3
"""The distance in lines from the stated one within which a shorter quotation still counts."""
SKIPPED = 8
"""The lines that may be omitted between two quoted ones without a sign of it."""

PLACES = 2_000
"""The most places of one text that are compared, counted from the start and again from shortly
before the stated line, so that thousands of equal lines take no longer.
"""
_BEFORE = 2_000
"""The characters before the stated line from which places are looked at."""

_FENCE = re.compile(r"^\s*(```|~~~)")
_NUMBERED = re.compile(r"^\s*\d{1,6}\s?(?:[+\-|:](?=\s|$)|(?=\s))\s?")
_MARKED = re.compile(r"^\s*[+-]")
_LEFT_OUT = re.compile(r"(?:#|//|/\*|--|<!--|\[|\()?\.{3,}(?:\*/|-->|\]|\))?")


@dataclass(frozen=True, slots=True)
class LineRun:
    """Consecutive numbered lines of one side of a file."""

    path: str
    side: str
    lines: tuple[tuple[int, str], ...]


def runs_of(hunks: Iterable[Hunk]) -> Iterator[LineRun]:
    """Returns the citable lines of a change: those of the new version, and the deleted ones."""
    for hunk in hunks:
        new = ((x.new, x.text) for x in hunk.lines if x.new is not None)
        old = ((x.old, x.text) for x in hunk.lines if x.mark == "-" and x.old is not None)
        yield from _unbroken(hunk.path, RIGHT, new)
        yield from _unbroken(hunk.path, LEFT, old)


def _unbroken(path: str, side: str, lines: Iterable[tuple[int, str]]) -> Iterator[LineRun]:
    part: list[tuple[int, str]] = []
    for number, text in lines:
        if part and number != part[-1][0] + 1:
            yield LineRun(path, side, tuple(part))
            part = []
        part.append((number, text))
    if part:
        yield LineRun(path, side, tuple(part))


class Lines:
    """An index of lines in which quotations are looked up; it is built once for a change and
    searched many times.
    """

    def __init__(self, runs: Iterable[LineRun]) -> None:
        """Builds the index; the order of the runs makes no difference."""
        self._rows: list[TextRow] = []
        self._starts: list[int] = []
        lines: list[str] = []
        at = 0
        for n, run in enumerate(sorted(runs, key=lambda r: (r.path, r.side, r.lines[0]))):
            for number, text in run.lines:
                if squeezed := squeeze(text):
                    self._rows.append(TextRow(n, run.path, run.side, number, text))
                    self._starts.append(at)
                    lines.append(squeezed)
                    at += len(squeezed)
            lines.append("\n")  # a quotation does not run on from one part of a file to another
            at += 1
        self._text = "".join(lines)

    def find(self, quote: str, stated: Stated) -> LineRange | None:
        """Returns the place of ``quote``, nearest to the stated place if there are several; None if
        it is nowhere word by word.
        """
        near = _Nearness(stated)
        readings = [reading for reading in _readings(quote) if reading]
        if not readings:
            return None
        for spans in self._exactly(readings, self._offset(stated)):
            if chosen := self._chosen(spans, readings[0], near):
                return chosen
        return None

    def find_nearly(self, quote: str, stated: Stated) -> LineRange | None:
        """Returns the place whose words nearly match ``quote``, which ``find`` does not find; None
        if there is none.
        """
        readings = [reading for reading in _readings(quote) if reading]
        spans = self._nearly.places(readings[-1]) if readings else []
        if not spans:
            return None
        return self._nearest(spans, _Nearness(stated))

    @cached_property
    def _nearly(self) -> Nearly:
        return Nearly(self._rows)

    def _offset(self, stated: Stated) -> int:
        """Returns the approximate offset of the stated line in the text; 0 if it is not there."""
        wanted = stated.path, stated.side.upper(), stated.line or 0
        at = bisect_left(self._rows, wanted, key=lambda row: (row.path, row.side, row.number))
        return self._starts[at] if at < len(self._starts) else 0

    def _exactly(
        self, readings: Sequence[_Reading], stated: int
    ) -> Iterator[list[tuple[int, int]]]:
        """Yields the places of each reading of a quotation, as first and last row: the strictest
        first.
        """
        for reading in readings:
            yield list(self._whole(reading, stated))
        for reading in readings:
            if len(parts := _parts(reading)) > 1:
                yield list(self._in_order(parts, None, stated))
        for reading in readings:
            if len(reading) > 1:
                yield list(self._in_order([squeeze(x) for x in reading], SKIPPED, stated))

    def _whole(self, reading: _Reading, stated: int) -> Iterator[tuple[int, int]]:
        """Finds a reading without gaps. A quotation of one line is part of one line, or some whole
        lines; a bracket is a whole line.
        """
        wanted = "".join(map(squeeze, reading))
        for start in self._occurrences(wanted, stated):
            first, last = self._row_at(start), self._row_at(start + len(wanted) - 1)
            within = first == last and len(wanted) >= SHORTEST
            if within or len(reading) > 1 or self._are_whole(start, len(wanted)):
                yield first, last

    def _are_whole(self, start: int, length: int) -> bool:
        end = start + length
        at = bisect_left(self._starts, end)
        ends = at == len(self._starts) or self._starts[at] == end or self._text[end] == "\n"
        return ends and self._starts[self._row_at(start)] == start

    def _in_order(
        self, parts: Sequence[str], skipped: int | None, stated: int
    ) -> Iterator[tuple[int, int]]:
        """Finds parts that follow each other in one file, at most ``skipped`` lines between two."""
        if min(map(len, parts)) < 1 or max(map(len, parts)) < SHORTEST:
            return
        places = [self._occurrences(part, stated) for part in parts]
        tightest: dict[int, tuple[int, int]] = {}
        for start in places[0]:
            chain = self._chain(start, parts, places, skipped)
            if chain is not None:
                tightest[chain[1]] = chain
        yield from tightest.values()

    def _chain(
        self,
        start: int,
        parts: Sequence[str],
        places: Sequence[Sequence[int]],
        skipped: int | None,
    ) -> tuple[int, int] | None:
        first = last = self._row_at(start)
        end = start + len(parts[0])
        for part, there in zip(parts[1:], places[1:], strict=True):
            at = bisect_left(there, end)
            if at == len(there):
                return None
            row = self._row_at(there[at])
            one, other = self._rows[last], self._rows[row]
            if (one.path, one.side) != (other.path, other.side):
                return None
            if skipped is not None and (one.run != other.run or row - last > skipped + 1):
                return None
            end, last = there[at] + len(part), self._row_at(there[at] + len(part) - 1)
        if self._rows[first].run != self._rows[last].run:
            last = self._row_at(start + len(parts[0]) - 1)  # a place is within one part of a file
        return first, last

    def _occurrences(self, wanted: str, stated: int) -> list[int]:
        """Returns where ``wanted`` begins, in order: the first places, and those from shortly
        before the stated line.
        """
        first = list(islice(self._from(wanted, 0), PLACES))
        if len(first) < PLACES:
            return first
        near = islice(self._from(wanted, max(first[-1] + 1, stated - _BEFORE)), PLACES)
        return [*first, *near]

    def _from(self, wanted: str, start: int) -> Iterator[int]:
        at = self._text.find(wanted, start) if wanted else -1
        while at >= 0:
            yield at
            at = self._text.find(wanted, at + 1)

    def _row_at(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _nearest(self, spans: Sequence[tuple[int, int]], near: _Nearness) -> LineRange:
        rows = self._rows
        first, last = min(spans, key=lambda x: near.key(rows[x[0]], rows[x[1]].number))
        one = rows[first]
        return LineRange(one.path, one.side, one.number, rows[last].number)

    def _chosen(
        self, spans: Sequence[tuple[int, int]], reading: _Reading, near: _Nearness
    ) -> LineRange | None:
        """Returns the nearest place; for a quotation of few characters only one near the stated
        line, and for a bracket only one on it.
        """
        if not spans:
            return None
        chosen = self._nearest(spans, near)
        count = len("".join(map(squeeze, reading)))
        if count >= TELLING or near.beside(chosen, BESIDE if count >= SHORTEST else 0):
            return chosen
        return None


_Reading = Sequence[str]
"""The lines of a quotation that have any text, read in one way."""


class _Nearness:
    """Measures how far places are from the stated one, whose path may be as seats see it."""

    def __init__(self, stated: Stated) -> None:
        self._path, self._shown_path = stated.path, show_path(stated.path)
        self._line, self._side = stated.line, stated.side.upper()

    def key(self, first: TextRow, last: int) -> tuple[int, bool, int, int, str, str, int]:
        """Sorts places by their distance from the stated one: first by file, then by side, then by
        line.
        """
        at, path, side = first.number, first.path, first.side
        return (
            self._other_file(path),
            side != self._side,
            self._lines_away(at, last),
            last - at,
            path,
            side,
            at,
        )

    def beside(self, place: LineRange, lines: int) -> bool:
        """True if the place is in the stated file, at most ``lines`` from the stated one."""
        in_file = self._other_file(place.path) < 2
        away = self._lines_away(place.first, place.last)
        return self._line is not None and in_file and away <= lines

    def _other_file(self, path: str) -> int:
        """Returns 0 for the stated file, 1 for one whose path ends like it (``b/src/x.py``), else
        2.
        """
        if not self._path or path in (self._path, self._shown_path):
            return 0
        mine, theirs = f"/{self._shown_path.lstrip('./')}", f"/{path}"
        return 1 if mine.endswith(theirs) or theirs.endswith(mine) else 2

    def _lines_away(self, first: int, last: int) -> int:
        if self._line is None:
            return 0
        return max(first - self._line, self._line - last, 0)


def _readings(quote: str) -> Iterator[_Reading]:
    """Yields the ways in which a quotation can be read: as it is, and without the marks that a
    diff, a listing or a sentence puts around its lines.
    """
    text = show_hidden(quote.replace("\r\n", "\n"))
    whole = [x for x in text.split("\n") if squeeze(x) and not _FENCE.match(x)]
    yield whole
    numbered = bool(whole) and all(map(_NUMBERED.match, whole))
    lines = whole
    if numbered:
        lines = [_NUMBERED.sub(" ", x, count=1) for x in whole]
        yield lines
        marks = [m[0].strip()[-1:] for x in whole if (m := _NUMBERED.match(x))]
    else:
        marks = [m[0].strip() if (m := _MARKED.match(x)) else "" for x in whole]
        bare = [_MARKED.sub("", x) for x in whole]
        if any(marks):
            lines = [x for x in bare if squeeze(x)]
            yield lines
    if "-" in marks and {"+", " ", ""} & set(marks):
        yield from _by_side(whole, marks)
    if unquoted := _unquoted(lines):
        yield unquoted


def _by_side(whole: Sequence[str], marks: Sequence[str]) -> Iterator[_Reading]:
    bare = [_MARKED.sub("", _NUMBERED.sub(" ", x)) for x in whole]
    for removed in (False, True):
        kept = (x for x, mark in zip(bare, marks, strict=True) if (mark == "-") is removed)
        yield [x for x in kept if squeeze(x)]


def _unquoted(lines: _Reading) -> _Reading:
    """Returns the text without quotation marks around the whole; empty if there are none."""
    if not lines or not squeeze(lines[0]).startswith("'") or not squeeze(lines[-1]).endswith("'"):
        return ()
    bare = [squeeze(x) for x in lines]
    bare[0] = bare[0].lstrip("'")
    bare[-1] = bare[-1].rstrip("'")
    return [x for x in bare if x]


def _parts(reading: _Reading) -> list[str]:
    """Returns the parts between the dots of a quotation; the dots may be within a line or a line by
    themselves.
    """
    joined = "".join(map(squeeze, reading))
    return [part for part in _LEFT_OUT.split(joined) if len(part) >= SHORTEST]
