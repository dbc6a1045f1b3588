"""Reads the lists of files that git writes around a diff: ``--stat``, ``--summary``, ``--numstat``,
``--raw`` and ``--name-status``. A file that a list names and the diff does not show is not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, product

from adapters.diffs.quoting import unquoted

_STAT = re.compile(r" .+ \|\s+(?:\d+(?: [+-]+)?|Bin(?: .*)?|Unk.*)$")
_BARS = re.compile(r" .+ \|\s+(?:\d+ [+-]+|Bin(?: .*)?)$")
_TOTAL = re.compile(r" (\d{1,9}) files? changed\b")
_SUMMARY = re.compile(
    r" (?:create|delete) mode \d| (?:rename|copy) .+ \(\d+%\)$| mode change \d"
    r"| rewrite .+ \(\d+%\)$| \.\.\.$| +\d{1,3}\.\d% .+/$"
)
_NAMED = re.compile(
    r"(?:[ACDMRTUX]\d{0,3}|(?P<counts>(?:\d+|-)\t(?:\d+|-))"
    r"|:{1,8}\d{6} \d{6} .*? [ACDMRTUX]+\d{0,3})"
    r"\t(?P<names>[^\0]+)$"
)
_SUMMARISED = re.compile(
    r" (?:(?:create|delete) mode \d+|mode change \d+ => \d+|rename|copy|rewrite) "
    r"(.+?)(?: \(\d+%\))?$"
)
_FOSSIL = re.compile(
    r"(?:ADDED {3,4}|DELETED {1,2}|(?:MISSING|CHANGED) {2}|ADDED_BY_(?:MERGE|INTEGRATE) )(?=\S)"
)
_OPENED = re.compile(r"(?:^|(?<=/))\{")
_CLOSED = re.compile(r"\}(?=/|$)")
_MOST_READINGS = 40

Readings = tuple[tuple[str, ...], ...]
"""The names in a line, in each way in which it can be read, the usual one first."""


@dataclass(slots=True)
class Lists:
    """The number of files of each patch by its statistic, the names in its summary, and the names
    that other lists give.
    """

    totals: dict[int, int] = field(default_factory=dict)
    bars: Counter[int] = field(default_factory=Counter)
    summaries: list[tuple[int, Readings]] = field(default_factory=list)
    named: list[Readings] = field(default_factory=list)

    def read(self, line: str, patch: int) -> None:
        """Takes what a line says of the files of a patch, if it belongs to a list."""
        if total := _TOTAL.match(line):
            self.totals[patch] = int(total.group(1))
        elif _BARS.match(line):
            self.bars[patch] += 1
        elif summarised := _SUMMARISED.match(line):
            self.summaries.append((patch, _readings(summarised[1])))
        elif fossil := _FOSSIL.match(line):
            self.named.append(((line[fossil.end() :],),))
        elif (named := _NAMED.match(line)) and named["counts"]:
            self.named.append(_readings(named["names"]))
        elif named:
            self.named.append((tuple(map(unquoted, named["names"].split("\t"))),))

    def counted(self) -> dict[int, int]:
        """Returns the number of files of each patch that has a statistic."""
        return {**self.bars, **self.totals}


def is_list(line: str) -> bool:
    """Return whether a line belongs to a list of files."""
    return any(pattern.match(line) for pattern in (_STAT, _TOTAL, _SUMMARY, _NAMED, _FOSSIL))


def _readings(text: str) -> Readings:
    """Returns the names in a line with one file; one that moved has two, with an arrow that a name
    may hold, too.
    """
    return (*islice(_moves(text), _MOST_READINGS), (unquoted(text),))


def _moves(text: str) -> Iterator[tuple[str, str]]:
    places = islice(re.finditer(" => ", text), _MOST_READINGS)
    arrows = [(text[: at.start()], text[at.end() :]) for at in places]
    for old, new in arrows:
        for opened, closed in product(_OPENED.finditer(old), _CLOSED.finditer(new)):
            before, after = old[: opened.start()], new[closed.end() :]
            names = (old[opened.end() :], new[: closed.start()])
            first, second = (f"{before}{name}{after}".replace("//", "/") for name in names)
            yield first, second
    yield from ((unquoted(old), unquoted(new)) for old, new in arrows)
