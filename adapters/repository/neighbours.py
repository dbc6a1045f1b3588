"""Finds the code near a change: the function or class around each hunk, the definitions of names
that changed lines call, and the callers of changed names.

Which definition a call means is found by scope and import (``adapters.repository.scopes``); if
several could be meant, none is shown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest

from adapters.repository.languages import language_of
from adapters.repository.scopes import Scopes, is_test
from adapters.repository.syntax import CallSite, Definition, Syntax, syntax_of
from core.debate.material import Hunk, Near

_MOST_PARSED = 300
"""Files that are parsed for one change."""
_MOST_SEARCHED = 25
"""Files that are parsed for the callers of one name."""
_MOST_NAMES = 40
_MOST_OF_A_NAME = 2
"""Definitions that are shown for one call."""
_MOST_CALLERS = 3
_MOST_SETTERS = 4
"""The most lines that set one field; a field that is set in more places is not shown."""
_FIELD = re.compile(r"(?:\.|->|@)([^\W\d]\w{2,60})\b(?!\s*(?:\(|=[^=]))")
_HEAD = 3
"""Lines of a long definition's beginning that are always shown."""
_FAR, _REACH = 100, 25
"""Lines before and after a change that are shown of a function around it for which there is no room
as a whole, or of a class.
"""
_LONGEST = 40
"""Lines of a definition that is called; of a longer one its beginning is shown."""
_NEAR_CALL = 4
_CALL = re.compile(r"((?:[\w$]+(?:\.|::|->|\?\.))*)([^\W\d]\w{2,60})\s*\(")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Lines that are worth reading with the change, before those that are already shown are
    removed. ``fewer`` are smaller choices of them, for which there may be room.
    """

    path: str
    lines: tuple[range, ...]
    name: str
    near: Near
    fewer: tuple[tuple[range, ...], ...] = ()


@dataclass(slots=True)
class _Changed:
    """One changed file: the ``texts`` of its head's lines that the diff shows, and the numbers of
    the lines that the diff changes; a removed line has the number of the line before it.
    """

    touched: set[int] = field(default_factory=set)
    added: set[int] = field(default_factory=set)
    removed: list[tuple[int, str]] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)


class Neighbourhood:
    """The code near ``hunks`` in ``files``. A file whose lines are not those in the diff is of
    another commit, and is not used.
    """

    def __init__(self, files: Mapping[str, str], hunks: Iterable[Hunk]) -> None:
        self._files = files
        self._parsed: dict[str, Syntax] = {}
        self._scopes = Scopes(files, self._syntax)
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
    def diff_lines(self) -> Mapping[str, Collection[int]]:
        """The lines that the diff itself shows, by path."""
        return {path: changed.texts.keys() for path, changed in self._changed.items()}

    def lines(self, path: str) -> list[str]:
        if path not in self._lines:
            self._lines[path] = self._files[path].split("\n")
        return self._lines[path]

    def ranked(self) -> Sequence[Neighbour]:
        """Returns the functions and classes around the changes first, then in turns definitions,
        callers, and lines that set what a changed line reads; what is in tests comes last.
        """
        others = chain(self._overridden(), self._callers())
        near = zip_longest(self._definitions(), others, self._setters())
        ranked = [*self._enclosing(), *(n for n in chain.from_iterable(near) if n is not None)]
        return sorted(dict.fromkeys(ranked), key=lambda one: is_test(one.path))

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
                if outer := _outer(self._syntax(path).around(line)):
                    by_definition[outer].append(line)
            for outer, lines in by_definition.items():
                heads = tuple(range(d.first, min(d.first + 1, d.last + 1)) for d in outer[:-1])
                name = ".".join(d.name for d in outer)
                reaches = (_FAR, _REACH) if outer[-1].function else (_REACH,)
                parts = [(*heads, *_parts_around(outer[-1], lines, reach)) for reach in reaches]
                if outer[-1].function:
                    parts.insert(0, (*heads, range(outer[-1].first, outer[-1].last + 1)))
                yield Neighbour(path, parts[0], name, Near.ENCLOSES, tuple(parts[1:]))

    def _definitions(self) -> Iterator[Neighbour]:
        for call, path in self._calls():
            for where, d in self._scopes.meant(call, path)[:_MOST_OF_A_NAME]:
                yield Neighbour(where, tuple(self._parts_of(where, d)), _name(d), Near.DEFINES)

    def _parts_of(self, path: str, d: Definition) -> Iterator[range]:
        """Yields the beginning of a called definition; of a type that of its constructors too."""
        longest = _HEAD
        if d.function:
            longest = _LONGEST
        yield range(d.first, min(d.last, d.first + longest - 1) + 1)
        for other in self._syntax(path).definitions if not d.function else ():
            made = other.name in _CONSTRUCTORS or other.name == d.name
            if other.owner == d.name and made and d.first <= other.first <= d.last:
                yield range(other.first, min(other.last, other.first + _LONGEST - 1) + 1)

    def _overridden(self) -> Iterator[Neighbour]:
        for _, path, own in self._changed_names():
            for where, d in self._scopes.overridden(own, path)[:_MOST_OF_A_NAME]:
                yield Neighbour(where, tuple(self._parts_of(where, d)), _name(d), Near.OVERRIDDEN)

    def _calls(self) -> Sequence[tuple[CallSite, str]]:
        """Returns (call, path) of the calls in changed lines, those called most often first. A
        removed call counts at the lines that replaced it. Calls in tests are left out.
        """
        counted: dict[tuple[str, str, str], int] = defaultdict(int)
        lines: dict[tuple[str, str, str], int] = {}
        for path, changed in self._followed():
            for call in self._syntax(path).calls:
                if call.line in changed.added:
                    key = (call.name, call.receiver, path)
                    counted[key] += 1
                    lines.setdefault(key, call.line)
            for line, text in changed.removed:
                for receiver, name in _CALL.findall(text):
                    key = (name, receiver.rstrip(".:>-?"), path)
                    counted[key] += 1
                    lines.setdefault(key, line)
        most = sorted(counted, key=lambda key: -counted[key])[:_MOST_NAMES]
        return [(CallSite(name, lines[key], on), path) for key in most for name, on, path in [key]]

    def _callers(self) -> Iterator[Neighbour]:
        for name, path, own in self._changed_names():
            seen: set[tuple[str, str]] = set()
            for where, line in self._calls_of(name, path, own):
                outer = self._syntax(where).around(line)
                caller = ".".join(d.name for d in outer)
                if (where, caller) in seen or (where == path and own in outer):
                    continue
                seen.add((where, caller))
                if len(seen) > _MOST_CALLERS:
                    break
                yield self._line_in(where, line, name, Near.CALLS)

    def _setters(self) -> Iterator[Neighbour]:
        """Yields the lines that set the fields that changed lines read, if they are few."""
        for name, path in self._fields_read():
            places = list(islice(self._settings_of(name, path), _MOST_SETTERS + 1))
            if len(places) <= _MOST_SETTERS:
                for where, line in places:
                    yield self._line_in(where, line, name, Near.SETS)

    def _fields_read(self) -> Sequence[tuple[str, str]]:
        read: dict[tuple[str, str], None] = {}
        for path, changed in self._followed():
            for line in sorted(changed.added):
                names = _FIELD.findall(changed.texts[line])
                read |= dict.fromkeys((name, path) for name in names)
        return list(read)[:_MOST_NAMES]

    def _followed(self) -> Iterator[tuple[str, _Changed]]:
        """Yields the changed files whose names are followed; tests only if all are tests."""
        only_tests = all(map(is_test, self._changed))
        for path, changed in self._changed.items():
            if only_tests or not is_test(path):
                yield path, changed

    def _settings_of(self, name: str, path: str) -> Iterator[tuple[str, int]]:
        """Yields (path, line) of assignments to a field that the diff does not show."""
        holding = self._scopes.holding(name, path)
        sets = re.compile(rf"(?:\.|->|@){re.escape(name)}\s*(?:[-+|&*/]|:|\|\||\?\?)?=(?![=>~])")
        for where in holding if len(holding) <= _MOST_SEARCHED else [path]:
            in_diff = self.diff_lines.get(where, ())
            if is_test(where) and not is_test(path):
                continue
            for n, text in enumerate(self.lines(where), 1):
                if name in text and n not in in_diff and sets.search(text):
                    yield where, n

    def _line_in(self, path: str, line: int, name: str, near: Near) -> Neighbour:
        """Returns a line with those near it, and the head of the function around it."""
        outer = self._syntax(path).around(line)
        first, last = 1, len(self.lines(path))
        if outer:
            first, last = outer[-1].first, outer[-1].last
        lines = range(max(first, line - _NEAR_CALL), min(last, line + _NEAR_CALL) + 1)
        heads = (range(outer[-1].first, outer[-1].first + 1),) if outer else ()
        return Neighbour(path, (*heads, lines), ".".join(d.name for d in outer) or name, near)

    def _changed_names(self) -> Iterator[tuple[str, str, Definition]]:
        """Yields the changed names that can be called; a constructor goes by its class."""
        named: dict[tuple[str, str, str], tuple[str, str, Definition]] = {}
        for path, changed in self._changed.items():
            for line in sorted(changed.touched):
                outer = _outer(self._syntax(path).around(line))
                if outer and len(outer[-1].name) > 2:
                    made = outer[-1].name in _CONSTRUCTORS and len(outer) > 1
                    name = outer[-2 if made else -1].name
                    named.setdefault((name, outer[-1].owner, path), (name, path, outer[-1]))
        yield from list(named.values())[:_MOST_NAMES]

    def _calls_of(self, name: str, path: str, own: Definition) -> Iterator[tuple[str, int]]:
        """Yields (path, line) of calls of a definition that the diff does not show."""
        for where in self._scopes.holding(name, path)[:_MOST_SEARCHED]:
            in_diff = self.diff_lines.get(where, ())
            calls = [c for c in self._syntax(where).calls if c.name == name]
            for call in calls:
                if call.line not in in_diff and self._means(call, where, path, own, name):
                    yield where, call.line

    def _means(self, call: CallSite, where: str, path: str, own: Definition, name: str) -> bool:
        """Return whether a call means a changed definition, its class if it is a constructor, or a
        method that it overrides.
        """
        overridden = self._scopes.overridden(own, path)
        return any(
            (other == path and (d == own or (name != own.name and d.name == name)))
            or (other, d) in overridden
            for other, d in self._scopes.meant(call, where)
        )


_CONSTRUCTORS = frozenset({"__init__", "constructor", "initialize", "__construct"})


def _name(d: Definition) -> str:
    if d.owner:
        return f"{d.owner}.{d.name}"
    return d.name


def _outer(around: Sequence[Definition]) -> tuple[Definition, ...]:
    """Returns the definitions around a line down to the outermost function: what is defined inside
    it is shown with it.
    """
    for n, d in enumerate(around):
        if d.function:
            return tuple(around[: n + 1])
    return tuple(around)


def _changes(hunks: Iterable[Hunk]) -> dict[str, _Changed]:
    changes: dict[str, _Changed] = defaultdict(_Changed)
    for hunk in hunks:
        changed = changes[hunk.path]
        here = 0
        for line in hunk.lines:
            if line.new is None:
                changed.removed.append((max(here, 1), line.text))
                changed.touched.add(max(here, 1))
                continue
            here = line.new
            changed.texts[here] = line.text
            if line.mark == "+":
                changed.touched.add(here)
                changed.added.add(here)
    return changes


def _parts_around(d: Definition, lines: Sequence[int], reach: int) -> Iterator[range]:
    """Yields the whole of a short definition; of a long one its beginning and the lines near the
    change.
    """
    if d.last - d.first < 2 * reach:
        yield range(d.first, d.last + 1)
        return
    yield range(d.first, d.first + _HEAD)
    for line in lines:
        yield range(max(d.first, line - reach), min(d.last, line + reach) + 1)
