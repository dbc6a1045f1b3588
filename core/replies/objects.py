"""Finds the one JSON object of a reply, whatever a model wrapped around it.

Strangers write the text that a seat reads, and a seat that quotes it may quote an object in the
form of a reply. So an object counts only where it is the only one and does not stand in the text
that the seat read; otherwise the reply is unreadable and is asked for once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from core.errors import DebateError
from core.replies.tasks import TASKS

MAX_REPLY = 100_000
"""The number of a reply's characters that are searched; the longest reply that a task asks for has
about 13,000.
"""
_MAX_TRIES = 64
"""The number of object beginnings that are read before a reply is given up: each may cost a
thousand levels of nesting, or the whole rest of the text.
"""
_MAX_DEPTH = 12
"""The deepest nesting of an object; the deepest that a task asks for has four levels."""
FIELDS = frozenset({"text", *(name for task in TASKS.values() for name in task.asks)})
"""An object counts as a reply if it has at least one of these members."""

_BEGINS = re.compile(r'\{\s*"')
_REPLY_BEGINS = re.compile(rf'\{{\s*"(?:{"|".join(sorted(FIELDS))})"\s*:')

Quotation = Callable[[str], bool]
"""Says whether a piece of a reply stands in the text that the seat read."""


class Unreadable(DebateError):
    """Raised for a reply that lacks what its task requires; the message tells the model (and the
    record) what is missing.
    """


def find_object(text: str, quotation: Quotation = lambda _: False) -> tuple[str, dict[str, Any]]:
    """Returns the prose and the JSON object of a reply, whether the object is bare, fenced or in
    the middle of prose; a reply without one gives ``{}``.

    Raises ``Unreadable`` where there are two, where the only one is a ``quotation``, or is damaged:
    its findings would be lost unseen.
    """
    text = text[:MAX_REPLY]
    whole, broken = _objects(text)
    if not whole and broken:
        raise Unreadable("the reply's JSON object is damaged or too long")
    if not whole:
        return text.strip(), {}
    if len(whole) > 1 or broken:
        raise Unreadable("the reply holds more than one JSON object")
    start, end, value = whole[0]
    if quotation(text[start:end]):
        raise Unreadable("the reply only quotes a JSON object from what it read")
    before = re.sub(r"```(?:json)?\s*\Z", "", text[:start])
    after = re.sub(r"\A\s*```", "", text[end:])
    return f"{before.strip()}\n{after.strip()}".strip(), value


def _objects(text: str) -> tuple[list[tuple[int, int, dict[str, Any]]], int]:
    """Returns (start, end, value) of each outermost object in the form of a reply, and the number
    of broken or damaged ones.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    whole: list[tuple[int, int, dict[str, Any]]] = []
    broken, at = 0, 0
    for _ in range(_MAX_TRIES):
        begins = _BEGINS.search(text, at)
        if begins is None:
            return whole, broken
        start = begins.start()
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):  # numbers of thousands of digits are a ValueError too
            broken += bool(_REPLY_BEGINS.match(text, start))
            at = start + 1
            continue
        if FIELDS & value.keys():
            levels = _levels(value)
            if len(levels) > _MAX_DEPTH:
                raise Unreadable("the JSON object is nested too deeply")
            if any(isinstance(one, _Ambiguous) for level in levels for one in level):
                raise Unreadable("the JSON object gives one field twice")
            whole.append((start, end, value))
        at = end
    raise Unreadable("the reply holds too many braces to find its JSON object")


class _Ambiguous(dict[str, Any]):
    """Raised for an object that gives one of its fields twice: nobody knows which is meant, and a
    quotation that broke out of its string looks the same.
    """


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(members)
    if len(made) < len(members):
        return _Ambiguous(made)
    return made


def _levels(value: object) -> list[list[object]]:
    """Yields the members of ``value`` level by level, down to the first level that is too deep."""
    levels: list[list[object]] = []
    level = [value]
    while level and len(levels) <= _MAX_DEPTH:
        levels.append(level)
        level = [
            child
            for one in level
            for child in (
                one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
            )
        ]
    return levels


def quotation_of(texts: Iterable[str]) -> Quotation:
    """Returns a test that says whether an object of a reply stands in one of ``texts``, white space
    aside.

    Texts that are too short or hold no brace are skipped without squeezing.
    """
    given = [text for text in texts if "{" in text]

    def stands(piece: str) -> bool:
        if not given:
            return False
        wanted = "".join(piece.split())
        return any(len(text) >= len(wanted) and wanted in "".join(text.split()) for text in given)

    return stands
