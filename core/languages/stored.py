"""Translates stored English texts into the reader's language: reasons and notes in events and in
material.

``core.debate.stored`` marks their texts, which ``python -m tools.catalogues --write`` lists in
``stored.txt``. A stored text that has the shape of one of them is written again from its
translation, with the same fields; any other stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

from core.languages import ENGLISH, day, money, number, say, say_many, spoken

NAME = "stored.txt"
"""The list of marked texts, one a line; a tab separates a singular from its plural."""
_FIELD = re.compile(r"\{(\w+)\}")
_LONGEST = 2_000  # characters; a longer text is none of ours
_PIECE = 600
"""The most characters that are compared with shapes of several fields: that work grows with a power
of them, while one field costs what the text is long.
"""
_TRIES = 100
"""The most pieces of one text that are looked at. A stranger's words may be in it, so the work is
bounded: what is not recognised by then stays English.
"""
_DAY = re.compile(r"(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_MONEY = re.compile(r"\$(\d{1,3}(?:,?\d{3})*\.\d{2,})")
_VALUES = {"n": r"[\d,]+", "model": r"\S+"}
"""The patterns of fields that cannot hold any text."""
_NESTED = "why"
"""The beginning of the names of fields that may hold another stored text, or a fixed name."""


_SEEN: ContextVar[dict[str, str]] = ContextVar("seen")
"""The pieces of the present text that were looked at, each with its translation, "" if unknown."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A marked text with fields, as a pattern; ``many`` is its plural, if it counts, and
    ``letters`` the number of letters that are the same in all texts of this shape.
    """

    pattern: re.Pattern[str]
    one: str
    many: str
    letters: int

    def say(self, fields: Mapping[str, str]) -> str:
        """Writes the text; "" for mere punctuation around something unknown."""
        inner = {name: _inner(text) for name, text in fields.items() if name.startswith(_NESTED)}
        if not self.letters and not (inner and all(inner.values())):
            return ""
        words = {name: inner.get(name) or _figure(text) for name, text in fields.items()}
        if not self.many:
            return say(self.one, **words)
        n = int(fields.get("n", "1").replace(",", ""))
        return say_many(n, self.one, self.many, **{k: v for k, v in words.items() if k != "n"})


def say_stored(text: str) -> str:
    """Writes a stored English text in the current language, if it is a marked text."""
    if spoken() == ENGLISH or len(text) > _LONGEST:
        return text
    return _write(spoken(), text) or text


@lru_cache(maxsize=2_048)
def _write(_language: str, text: str) -> str:
    seen = _SEEN.set({})
    try:
        return _known(text)
    finally:
        _SEEN.reset(seen)


def _known(text: str) -> str:
    seen = _SEEN.get()
    if text not in seen:
        if len(seen) == _TRIES:
            return ""
        seen[text] = ""
        seen[text] = _said(text)
    return seen[text]


def _said(text: str) -> str:
    """Returns a piece in the current language; "" if neither the parts between its commas,
    semicolons and full stops are known nor the whole.
    """
    fixed, shapes = _marked()
    if text in fixed:
        return say(text)
    if at := _DAY.fullmatch(text):
        with suppress(ValueError):  # no such month or day
            return day(date(int(at[3]), _MONTHS.index(at[2]) + 1, int(at[1])))
    if words := _joined(text, "[;,] "):
        return words
    if words := _shaped(text, (shape for shape in shapes if shape.letters)):
        return words
    if text.endswith(".") and (words := _known(text[:-1])):
        return f"{words}."
    return _shaped(text, (s for s in shapes if not s.letters)) or _joined(text, r"(?<=\.) ")


def _shaped(text: str, shapes: Iterable[_Shape]) -> str:
    for shape in shapes:
        if len(text) > _PIECE and len(_FIELD.findall(shape.one)) > 1:
            continue
        if (match := shape.pattern.fullmatch(text)) and (words := shape.say(match.groupdict())):
            return words
    return ""


def _joined(text: str, joint: str) -> str:
    for at in re.finditer(joint, text):
        if (first := _known(text[: at.start()])) and (rest := _known(text[at.end() :])):
            return f"{first}{at[0]}{rest}"
    return ""


def _inner(text: str) -> str:
    """Returns a field in the current language, which may also be a name such as a round's title; ""
    if it is unknown.
    """
    name = say(text)
    return _known(text) or (name if name != text else "")


def _figure(text: str) -> str:
    if amount := _MONEY.fullmatch(text):
        return money(float(amount[1].replace(",", "")))
    return number(int(text.replace(",", ""))) if _GROUPED.fullmatch(text) else text


@cache
def _marked() -> tuple[frozenset[str], tuple[_Shape, ...]]:
    """Returns the marked texts without fields, and the shapes of the others, the most particular
    first.
    """
    from importlib.resources import files

    lines = files("core.languages.catalogues").joinpath(NAME).read_text("utf-8").splitlines()
    fixed, shapes = set(), []
    for one, _, many in (line.partition("\t") for line in lines):
        if many or _FIELD.search(one):
            letters = sum(letter.isalpha() for letter in _FIELD.sub("", one))
            for text in filter(None, (one, many)):
                pattern = re.compile("".join(_parts(text)), re.DOTALL)
                shapes.append(_Shape(pattern, one, many, letters))
        else:
            fixed.add(one)
    return frozenset(fixed), tuple(sorted(shapes, key=lambda shape: -shape.letters))


def _parts(text: str) -> Iterator[str]:
    """Yields the text as a pattern, in which a field that comes again is the same again."""
    at = 0
    for field in _FIELD.finditer(text):
        yield re.escape(text[at : field.start()])
        name = field[1]
        again = name in _FIELD.findall(text[: field.start()])
        value = _VALUES.get(name, ".+?")
        yield f"(?P={name})" if again else f"(?P<{name}>{value})"
        at = field.end()
    yield re.escape(text[at:])
