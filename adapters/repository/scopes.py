"""Finds the definitions that a call means, by scope and import: its own type, the type or module
that it names, what its file imports. If several definitions could be meant, none is, so that
another class's ``new`` or ``setup`` is not shown.

Nothing is resolved as a compiler would: a value's type is known only if its name or its file says
so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from adapters.repository.languages import language_of
from adapters.repository.syntax import WORD, CallSite, Definition, Syntax

Place = tuple[str, Definition]
"""A path and a definition in that file."""

_NEAREST = 12
"""Files that are parsed for one name in one scope."""
_COMMON = 40
"""Files that hold a name, from which on a call on a value of unknown type is not looked up."""
_OWN = frozenset({"self", "this", "cls", "Self", "static", "$this", "@self"})
_BASE = frozenset({"super", "super()", "base", "parent"})
_ONE_NAMESPACE = frozenset({"go", "jvm", "csharp", "php"})
"""Families in which the files of a folder use each other without an import."""
_IMPLICIT = frozenset({"jvm", "csharp", "c", "ruby"})
"""Families in which a method calls others of its type by their bare names."""
_GLOBAL = frozenset({"ruby"})
"""Families whose types are known everywhere."""
_FOLDERS = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Files that represent their folder."""


class Scopes:
    """The definitions of ``files``, of which ``syntax`` gives each one's own."""

    def __init__(self, files: Mapping[str, str], syntax: Callable[[str], Syntax]) -> None:
        self._files = files
        self._syntax = syntax
        self._meant: dict[tuple[str, str, str, str], tuple[Place, ...]] = {}
        self._families: dict[str, list[str]] = {}
        for path in files:
            self._families.setdefault(family_of(path), []).append(path)
        self._holding: dict[tuple[str, str], list[str]] = {}

    def meant(self, call: CallSite, path: str) -> tuple[Place, ...]:
        """Returns the definitions that a call in ``path`` means, the nearest first; none if that is
        not known.
        """
        around = self._syntax(path).around(call.line)
        owner = owner_of(around)
        me = next((d.me for d in reversed(around) if d.me), "")
        receiver = call.receiver
        if me and call.receiver == me:
            receiver = "self"
        key = (path, owner, receiver, call.name)
        if key not in self._meant:
            places = self._places(call.name, receiver, owner, path)
            self._meant[key] = tuple(dict.fromkeys(places))
        return self._meant[key]

    def overridden(self, method: Definition, path: str) -> tuple[Place, ...]:
        """Returns the methods that a method takes the place of: those of its type's bases, or if
        the type is mixed into others, those of their bases.
        """
        if not method.owner:
            return ()
        return tuple(
            self._inherited(method.name, method.owner, path)
            or dict.fromkeys(
                place
                for heir, where in self._heirs(method.owner, path)
                for place in self._inherited(method.name, heir, where)
                if place[1] != method
            )
        )

    def _heirs(self, owner: str, path: str) -> Iterator[tuple[str, str]]:
        """Yields (type, path) of types that inherit from this one."""
        for where in self.holding(owner, path)[:_NEAREST]:
            for d in self._syntax(where).definitions:
                if owner in d.bases and self._knows(where, path, owner):
                    yield d.name, where

    def _places(self, name: str, receiver: str, owner: str, path: str) -> Iterable[Place]:
        if receiver in _OWN and owner:
            return self._methods(name, owner, path) or self._inherited(name, owner, path)
        if receiver in _BASE and owner:
            return self._inherited(name, owner, path)
        if not receiver or receiver in _BASE | {"crate"}:
            return self._bare(name, owner, path)
        last = (WORD.findall(receiver) or [""])[-1]
        if receiver.endswith(last):  # no call or index: `a.b`, `A::b`, not `a.b()`
            named = self._methods(name, last, path) or self._of_module(name, last, path)
            if named:
                return named
        return self._of_value(name, last, path)

    def _bare(self, name: str, owner: str, path: str) -> Sequence[Place]:
        family = family_of(path)
        here = [
            (path, d)
            for d in self._syntax(path).definitions
            if d.name == name and (not d.function or not d.owner or d.owner == owner)
        ]
        if here:
            own = [place for place in here if owner and place[1].owner == owner]
            return own or here
        if owner and family in _IMPLICIT and (places := self._inherited(name, owner, path)):
            return places
        places = [(where, d) for where, d in self._all(name, path) if not (d.function and d.owner)]
        known = [(where, d) for where, d in places if self._knows(path, where, name)]
        if not known and name in self._syntax(path).imports:  # another file passes it on
            known = places
            if len({where for where, _ in places}) != 1:
                known = []
        if len({where for where, _ in known}) > 2:  # a third file makes them ambiguous
            return ()
        return known

    def _methods(self, name: str, owner: str, path: str) -> Sequence[Place]:
        """Returns the methods of that name of a type: in this file, or else in the nearest that is
        known here; of a type with one definition in the repository, in any.
        """
        places = [(where, d) for where, d in self._all(name, path) if d.owner == owner]
        known = [(where, d) for where, d in places if self._knows(path, where, owner)]
        nearest = known or places
        if not known and len({where for where, _ in places}) > 1:
            return ()
        return [(where, d) for where, d in nearest if where == nearest[0][0]]

    def _inherited(self, name: str, owner: str, path: str, depth: int = 3) -> Sequence[Place]:
        """Returns the methods of that name of the nearest bases of a type."""
        places: list[Place] = []
        for base, where in self._bases(owner, path):
            methods = self._methods(name, base, where)
            if not methods and depth:
                methods = self._inherited(name, base, where, depth - 1)
            places += methods
        return list(dict.fromkeys(places))

    def _bases(self, owner: str, path: str) -> Iterator[tuple[str, str]]:
        """Yields (base, path of the type) of a type's bases."""
        for where, d in self._types(owner, path):
            yield from ((base, where) for base in d.bases[:6] if base != owner)

    def _types(self, name: str, path: str) -> Sequence[Place]:
        places = [(where, d) for where, d in self._all(name, path) if not d.function]
        known = [(where, d) for where, d in places if self._knows(path, where, name)]
        return (known or places)[:1]

    def _of_module(self, name: str, module: str, path: str) -> Sequence[Place]:
        """Returns what a module of that name defines at its top."""
        return [
            (where, d)
            for where, d in self._all(name, path)
            if not d.owner and module in names_of(where) and self._knows(path, where, module)
        ]

    def _of_value(self, name: str, value: str, path: str) -> Sequence[Place]:
        """Returns the method that is called on a value, if only one can be meant: that of the type
        after which the value is called, or that of the only type that the file uses.
        """
        if len(self.holding(name, path)) > _COMMON:
            return ()
        places = [
            (where, d)
            for where, d in self._all(name, path, most=_COMMON)
            if d.function and d.owner and (is_test(path) or not is_test(where))
        ]
        owners = {d.owner for _, d in places}
        alike = {owner for owner in owners if _alike(owner, value)}
        owners = alike or {d.owner for where, d in places if self._uses(path, where, d.owner)}
        if len(owners) == 1:
            return [(where, d) for where, d in places if d.owner in owners]
        return ()

    def _uses(self, path: str, other: str, owner: str) -> bool:
        """Return whether a file mentions a type, or knows the file that defines it."""
        mention = rf"\b{re.escape(owner)}\b"
        return self._knows(path, other, owner) or bool(re.search(mention, self._files[path]))

    def _knows(self, path: str, other: str, name: str) -> bool:
        """Return whether a file can use a name that another one defines: it is the same file, or
        one of the same namespace, or imported.
        """
        if path == other:
            return True
        family = family_of(path)
        if family in _ONE_NAMESPACE and path.rpartition("/")[0] == other.rpartition("/")[0]:
            return True
        imports = self._syntax(path).imports
        if family in _GLOBAL and name[:1].isupper():
            return True
        return bool(imports & names_of(other)) or (family == "jvm" and name in imports)

    def _all(self, name: str, path: str, most: int = _NEAREST) -> Iterator[Place]:
        """Yields the definitions of a name, the nearest file first."""
        for where in self.holding(name, path)[:most]:
            yield from ((where, d) for d in self._syntax(where).definitions if d.name == name)

    def holding(self, name: str, path: str) -> tuple[str, ...]:
        """Returns files of the same languages that hold the name as a word, the nearest to ``path``
        first, tests last.
        """
        key = (family_of(path), name)
        if key not in self._holding:
            word = re.compile(rf"\b{re.escape(name)}\b")
            texts = ((other, self._files[other]) for other in self._families.get(key[0], ()))
            places = [other for other, text in texts if name in text and word.search(text)]
            self._holding[key] = places
        order = [(is_test(other), _distance(path, other), other) for other in self._holding[key]]
        return tuple(other for _, _, other in sorted(order))


def owner_of(around: Sequence[Definition]) -> str:
    """Returns the type whose code this is: that of the innermost method, or the type itself."""
    for d in reversed(around):
        if d.function and d.owner:
            return d.owner
        if not d.function:
            return d.name
    return ""


def names_of(path: str) -> frozenset[str]:
    """Returns the names by which other files import this one."""
    file = PurePosixPath(path)
    names = {file.stem, file.name.partition(".")[0]}
    if names & _FOLDERS or family_of(path) == "go":
        names = {file.parent.name}
    return frozenset(names)


@lru_cache(100_000)
def family_of(path: str) -> str:
    language = language_of(path)
    if language is not None:
        return language.family
    return ""


@lru_cache(100_000)
def is_test(path: str) -> bool:
    return bool(re.search(r"(?:^|[/_.])(?:tests?|spec|testing)(?:[/_.]|$)", path.lower()))


def _alike(owner: str, value: str) -> bool:
    """Return whether a value is called after a type, like "my_rights" after "Rights"."""
    name, word = owner.lower().replace("_", ""), value.lower().replace("_", "")
    return len(word) > 2 and (name == word or word.endswith(name) or name.endswith(word))


def _distance(one: str, other: str) -> int:
    """Counts the steps between two files: 0 for the same, 1 for the same folder."""
    if one == other:
        return 0
    mine, theirs = one.split("/")[:-1], other.split("/")[:-1]
    common = 0
    for a, b in zip(mine, theirs, strict=False):
        if a != b:
            break
        common += 1
    return 1 + len(mine) + len(theirs) - 2 * common
