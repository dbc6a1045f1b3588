"""Finds the code near a change: the function or class around each hunk, the definitions of names
that changed lines call, and the callers of changed names.

Nothing is resolved as a compiler would: a name is looked up by its letters, nearest file first, and
one that is defined in many places is shown where it is nearest or not at all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import PurePosixPath

from adapters.repository.languages import language_of
from adapters.repository.syntax import Definition, Syntax, syntax_of
from core.material import Hunk, Near

_MOST_PARSED = 300
"""Files that are parsed for one change."""
_NEAREST = 12
"""Files that are parsed for one name."""
_MOST_NAMES = 40
_MOST_OF_A_NAME = 2
"""Definitions that are shown of one name. One that is defined in more places than these says little
about which is meant: then only the caller's own file counts.
"""
_MOST_CALLERS = 3
_HEAD = 3
"""Lines of a long definition's beginning that are always shown."""
_REACH = 25
"""Lines before and after a change that are shown of the function or class around it."""
_LONGEST = 40
"""Lines of a definition that is called; of a longer one its beginning is shown."""
_NEAR_CALL = 4
_CALL = re.compile(r"([^\W\d]\w{2,60})\s*\(")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Lines that are worth reading beside the change, before what is shown already is taken out."""

    path: str
    lines: tuple[range, ...]
    name: str
    near: Near


@dataclass(slots=True)
class _Changed:
    """One changed file: its head's line numbers that the diff shows, and those that it changed; of
    removed lines the one that is now in their place.
    """

    diff_lines: set[int] = field(default_factory=set)
    touched: set[int] = field(default_factory=set)
    added: set[int] = field(default_factory=set)
    removed: list[str] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)


class Neighbourhood:
    """The code near ``hunks`` in ``files``. A file whose lines are not those in the diff is of
    another commit, and is not used.
    """

    def __init__(self, files: Mapping[str, str], hunks: Iterable[Hunk]) -> None:
        self._files = files
        self._parsed: dict[str, Syntax] = {}
        self._lines: dict[str, list[str]] = {}
        self._changed = {
            path: changed
            for path, changed in _changes(hunks).items()
            if path in files and self._is_head(path, changed)
        }

    @property
    def tangled(self) -> Sequence[str]:
        """The files that took too long to parse, so that nothing of them is used."""
        return [path for path, syntax in self._parsed.items() if not syntax.whole]

    @property
    def diff_lines(self) -> Mapping[str, set[int]]:
        """The lines that the diff itself shows, by path."""
        return {path: changed.diff_lines for path, changed in self._changed.items()}

    def lines(self, path: str) -> list[str]:
        if path not in self._lines:
            self._lines[path] = self._files[path].split("\n")
        return self._lines[path]

    def ranked(self) -> Sequence[Neighbour]:
        """Returns the functions and classes around the changes first, then definitions and callers
        in turns.
        """
        near = zip_longest(self._definitions(), self._callers())
        ranked = [*self._enclosing(), *(n for n in chain.from_iterable(near) if n is not None)]
        return list(dict.fromkeys(ranked))

    def _is_head(self, path: str, changed: _Changed) -> bool:
        lines = self.lines(path)
        here = [n for n in changed.texts if n <= len(lines)]
        same = sum(lines[n - 1].rstrip("\r") == changed.texts[n].rstrip("\r") for n in here)
        return same * 10 >= len(changed.texts) * 9  # a redacted or escaped line reads otherwise

    def _syntax(self, path: str) -> Syntax:
        if path not in self._parsed:
            language = language_of(path)
            if language is None or len(self._parsed) >= _MOST_PARSED:
                return Syntax()
            self._parsed[path] = syntax_of(self._files[path], language)
        return self._parsed[path]

    def _enclosing(self) -> Iterator[Neighbour]:
        for path, changed in self._changed.items():
            by_definition: dict[tuple[Definition, ...], list[int]] = defaultdict(list)
            for line in sorted(changed.touched):
                if outer := self._syntax(path).around(line):
                    by_definition[outer].append(line)
            for outer, lines in by_definition.items():
                heads = [range(d.first, min(d.first + 1, d.last + 1)) for d in outer[:-1]]
                name = ".".join(d.name for d in outer)
                parts = (*heads, *_parts_around(outer[-1], lines))
                yield Neighbour(path, parts, name, Near.ENCLOSES)

    def _definitions(self) -> Iterator[Neighbour]:
        for name, path in self._called_names():
            definitions = list(self._defined(name, path))
            if len(definitions) > _MOST_OF_A_NAME:
                definitions = [(where, d) for where, d in definitions if where == path]
            for where, d in definitions[:_MOST_OF_A_NAME]:
                lines = range(d.first, min(d.last, d.first + _LONGEST - 1) + 1)
                yield Neighbour(where, (lines,), name, Near.DEFINES)

    def _called_names(self) -> Sequence[tuple[str, str]]:
        """Returns (name, path of the caller), those called most often first."""
        counted: dict[tuple[str, str], int] = defaultdict(int)
        for path, changed in self._changed.items():
            for call in self._syntax(path).calls:
                counted[call.name, path] += call.line in changed.added
            for name in _CALL.findall("\n".join(changed.removed)):
                counted[name, path] += 1
        called = [pair for pair, times in counted.items() if times]
        return sorted(called, key=lambda pair: -counted[pair])[:_MOST_NAMES]

    def _defined(self, name: str, path: str) -> Iterator[tuple[str, Definition]]:
        for where in self._with(name, path)[:_NEAREST]:
            if self._knows(path, where):
                yield from ((where, d) for d in self._syntax(where).definitions if d.name == name)

    def _knows(self, path: str, other: str) -> bool:
        """Says whether a file can use a name that another one defines: it stands in the same
        folder, or names the other's folder or file somewhere.
        """
        module = PurePosixPath(other)
        names = {module.stem, module.parent.name} - {"", "__init__", "index", "mod", "lib", "src"}
        return path.rpartition("/")[0] == other.rpartition("/")[0] or any(
            re.search(rf"\b{re.escape(name)}\b", self._files[path]) for name in names
        )

    def _callers(self) -> Iterator[Neighbour]:
        for name, path, own in self._changed_names():
            seen: set[tuple[str, str]] = set()
            for where, line in self._calls_of(name, path):
                outer = self._syntax(where).around(line)
                caller = ".".join(d.name for d in outer)
                if (where, caller) in seen or (where == path and own in outer):
                    continue
                seen.add((where, caller))
                if len(seen) > _MOST_CALLERS:
                    break
                first, last = _limits(outer, len(self.lines(where)))
                lines = range(max(first, line - _NEAR_CALL), min(last, line + _NEAR_CALL) + 1)
                heads = (range(outer[-1].first, outer[-1].first + 1),) if outer else ()
                yield Neighbour(where, (*heads, lines), caller or name, Near.CALLS)

    def _changed_names(self) -> Iterator[tuple[str, str, Definition]]:
        """Yields the changed names that can be called; a constructor goes by its class."""
        named: dict[tuple[str, str], Definition] = {}
        for path, changed in self._changed.items():
            for line in sorted(changed.touched):
                outer = self._syntax(path).around(line)
                if outer and len(outer[-1].name) > 2:
                    made = outer[-1].name in _CONSTRUCTORS and len(outer) > 1
                    named.setdefault((outer[-2 if made else -1].name, path), outer[-1])
        for (name, path), own in list(named.items())[:_MOST_NAMES]:
            yield name, path, own

    def _calls_of(self, name: str, path: str) -> Iterator[tuple[str, int]]:
        """Yields (path, line) of calls that the diff does not show."""
        for where in self._with(name, path)[:_NEAREST]:
            in_diff = self._changed[where].diff_lines if where in self._changed else set()
            for call in self._syntax(where).calls:
                if call.name == name and call.line not in in_diff:
                    yield where, call.line

    def _with(self, name: str, path: str) -> Sequence[str]:
        """Returns files of the same languages that hold the name as a word, the nearest to ``path``
        first, tests last.
        """
        language = language_of(path)
        family = language.family if language is not None else ""
        word = re.compile(rf"\b{re.escape(name)}\b")
        holding = [
            other
            for other, text in self._files.items()
            if (of := language_of(other)) is not None
            and of.family == family
            and name in text
            and word.search(text)
        ]
        return sorted(holding, key=lambda other: (_is_test(other), _distance(path, other), other))


_CONSTRUCTORS = frozenset({"__init__", "constructor", "initialize", "__construct"})


def _changes(hunks: Iterable[Hunk]) -> dict[str, _Changed]:
    changes: dict[str, _Changed] = defaultdict(_Changed)
    for hunk in hunks:
        changed = changes[hunk.path]
        here = 0
        for line in hunk.lines:
            if line.new is None:
                changed.removed.append(line.text)
                changed.touched.add(max(here, 1))
                continue
            here = line.new
            changed.diff_lines.add(here)
            changed.texts[here] = line.text
            if line.mark == "+":
                changed.touched.add(here)
                changed.added.add(here)
    return changes


def _parts_around(d: Definition, lines: Sequence[int]) -> Iterator[range]:
    """Yields the whole of a short definition; of a long one its beginning and the lines near the
    change.
    """
    if d.last - d.first < 2 * _REACH:
        yield range(d.first, d.last + 1)
        return
    yield range(d.first, d.first + _HEAD)
    for line in lines:
        yield range(max(d.first, line - _REACH), min(d.last, line + _REACH) + 1)


def _limits(outer: Sequence[Definition], lines: int) -> tuple[int, int]:
    if outer:
        return (outer[-1].first, outer[-1].last)
    return (1, lines)


def _distance(one: str, other: str) -> int:
    """Steps between two files: 0 for the same, 1 for the same folder."""
    if one == other:
        return 0
    mine, theirs = one.split("/")[:-1], other.split("/")[:-1]
    common = 0
    for a, b in zip(mine, theirs, strict=False):
        if a != b:
            break
        common += 1
    return 1 + len(mine) + len(theirs) - 2 * common


def _is_test(path: str) -> bool:
    return bool(re.search(r"(?:^|[/_.])(?:tests?|spec|testing)(?:[/_.]|$)", path.lower()))
