"""Reads the lists of files that git writes around a diff: ``--stat``, ``--summary``, ``--numstat``,
``--raw`` and ``--name-status``. A file that a list names and the diff does not show is not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from adapters.diffs.quoting import unquoted

_STAT = re.compile(r" .+ \|\s+(?:\d+(?: [+-]+)?|Bin(?: .*)?|Unk.*)$")
_BARS = re.compile(r" .+ \|\s+(?:\d+ [+-]+|Bin(?: .*)?)$")
_TOTAL = re.compile(r" (\d{1,9}) files? changed\b")
_SUMMARY = re.compile(
    r" (?:create|delete) mode \d| (?:rename|copy) .+ \(\d+%\)$| mode change \d"
    r"| rewrite .+ \(\d+%\)$| \.\.\.$|  +\d{1,3}\.\d% .+/$"
)
_NAMED = re.compile(
    r"(?:[ACDMRTUX]\d{0,3}|(?P<counts>(?:\d+|-)\t(?:\d+|-))"
    r"|:{1,8}\d{6} \d{6} .*? [ACDMRTUX]+\d{0,3})"
    r"\t(?P<names>.+)$"
)
_SUMMARISED = re.compile(
    r" (?:(?:create|delete) mode \d+|mode change \d+ => \d+|rename|copy|rewrite) "
    r"(.+?)(?: \(\d+%\))?$"
)
_MOVED = re.compile(r"(?P<before>.*)\{(?P<old>.*) => (?P<new>.*)\}(?P<after>.*)$")


@dataclass(slots=True)
class Lists:
    """The number of files of each patch by its statistic, the names in its summary, and the names
    that other lists give.
    """

    totals: dict[int, int] = field(default_factory=dict)
    bars: Counter[int] = field(default_factory=Counter)
    summaries: list[tuple[int, str]] = field(default_factory=list)
    named: list[str] = field(default_factory=list)

    def read(self, line: str, patch: int) -> None:
        """Takes what a line says of the files of a patch, if it belongs to a list."""
        if total := _TOTAL.match(line):
            self.totals[patch] = int(total.group(1))
        elif _BARS.match(line):
            self.bars[patch] += 1
        elif summarised := _SUMMARISED.match(line):
            self.summaries += ((patch, name) for name in _names(summarised[1], numbered=True))
        elif named := _NAMED.match(line):
            self.named += _names(named["names"], numbered=named["counts"] is not None)

    def counted(self) -> dict[int, int]:
        """Returns the number of files of each patch that has a statistic."""
        return {**self.bars, **self.totals}


def is_list(line: str) -> bool:
    """Return whether a line belongs to a list of files."""
    return any(pattern.match(line) is not None for pattern in (_STAT, _TOTAL, _SUMMARY, _NAMED))


def _names(text: str, *, numbered: bool) -> Iterator[str]:
    """Yields the names in a line of a list; a file that moved has two."""
    if numbered and (moved := _MOVED.match(text)):
        for name in (moved["old"], moved["new"]):
            yield f"{moved['before']}{name}{moved['after']}".replace("//", "/")
    elif numbered and " => " in text:
        yield from map(unquoted, text.split(" => ", 1))
    else:
        yield from (unquoted(name) for name in text.split("\t"))
