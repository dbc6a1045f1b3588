"""Finds a place whose words nearly match a quotation: a model that copies from memory changes a
name, drops an argument or shortens a line.

Words are compared in their order, each weighed by its rarity among the lines: a bracket means
nothing, a name that occurs once nearly everything, and a name that occurs nowhere counts against
every place. The bound is measured (``python -m tools.bench.locating``).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import log

BOUND = 0.65
"""The share of a quotation's weight that a place must have."""
_FEWEST = 3  # words; fewer are nearly everywhere
_COMMON = 400  # lines; a word on more of them leads nowhere
_TRIED = 24  # places that are compared in full
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class TextRow:
    """A line that has text: its number on one side of a file, and the unbroken run it belongs
    to.
    """

    run: int
    path: str
    side: str
    number: int
    text: str


class Nearly:
    """An index of the words of many lines."""

    def __init__(self, rows: Sequence[TextRow]) -> None:
        self._rows = rows
        self._on: dict[str, list[int]] = defaultdict(list)
        for n, row in enumerate(rows):
            for word in set(tokens(row.text)):
                self._on[word].append(n)

    def places(self, quoted: Sequence[str]) -> list[tuple[int, int]]:
        """Returns the first and the last row of each place with the largest part of the quotation,
        if that is enough.
        """
        scored = self.scored(quoted)
        best = max((score for score, _ in scored), default=0.0)
        if best < BOUND:
            return []
        return [span for score, span in scored if score >= best - 1e-9]

    def scored(self, quoted: Sequence[str]) -> list[tuple[float, tuple[int, int]]]:
        """Returns the likeliest places, each with its share of the quotation's weight."""
        lines = [tokens(line) for line in quoted]
        words = [word for line in lines for word in line]
        if sum(word[0].isalnum() or word[0] == "_" for word in words) < _FEWEST:
            return []
        weight = {word: self._weight(word) for word in set(words)}
        whole = sum(weight[word] for word in words)
        scores = []
        for first in self._starts(lines, weight):
            last = self._last(first, len(lines))
            there = [w for row in self._rows[first : last + 1] for w in tokens(row.text)]
            blocks = SequenceMatcher(None, words, there, autojunk=False).get_matching_blocks()
            same = (words[b.a + n] for b in blocks for n in range(b.size))
            scores.append((sum(weight[word] for word in same) / whole, (first, last)))
        return scores

    def _weight(self, word: str) -> float:
        return log(1 + len(self._rows) / (1 + len(self._on.get(word, ()))))

    def _starts(self, lines: Sequence[Sequence[str]], weight: dict[str, float]) -> list[int]:
        """Yields the rows at which the quotation may begin, those with the heaviest words in common
        first.
        """
        votes: Counter[int] = Counter()
        for n, line in enumerate(lines):
            for word in set(line):
                on = self._on.get(word, ())
                if len(on) <= _COMMON:
                    for row in on:
                        votes[max(0, row - n)] += weight[word]  # type: ignore[assignment]
        ranked = sorted(votes, key=lambda row: (-votes[row], row))
        return ranked[:_TRIED]

    def _last(self, first: int, count: int) -> int:
        last = first
        while last + 1 < min(len(self._rows), first + count) and (
            self._rows[last + 1].run == self._rows[first].run
        ):
            last += 1
        return last


def tokens(text: str) -> list[str]:
    """Returns words and single marks, in order, in small letters."""
    return _TOKEN.findall(text.casefold())
