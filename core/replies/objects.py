"""The one JSON object of a reply, found in whatever a model wrapped around it.

What a seat reads is written by strangers, and a seat that quotes it may quote an object in the
very form of a reply. So an object counts only where it is the only one, and where it does not
stand in what the seat read; in any other case the reply is unreadable and is asked for once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from core.errors import DebateError
from core.replies.tasks import TASKS

MAX_REPLY = 100_000
"""Characters of a reply that are looked at; the longest that is asked for has about 13,000."""
_MAX_TRIES = 64
"""Beginnings of objects that are read before a reply is given up: each may cost a thousand levels
of nesting, or the whole rest of the text.
"""
_MAX_DEPTH = 12
"""Levels of an object; the deepest that is asked for has four."""
FIELDS = frozenset({"text", *(name for task in TASKS.values() for name in task.asks)})
"""What makes an object a reply: at least one of these among its names."""

_BEGINS = re.compile(r'\{\s*"')
_REPLY_BEGINS = re.compile(rf'\{{\s*"(?:{"|".join(sorted(FIELDS))})"\s*:')

Quotation = Callable[[str], bool]
"""Whether a piece of a reply stands in what the seat read."""


class Unreadable(DebateError):
    """The reply does not hold what the task requires.

    The message tells the model (and the record) what is missing.
    """


def find_object(text: str, quotation: Quotation = lambda _: False) -> tuple[str, dict[str, Any]]:
    """The prose and the JSON object of a reply: bare, fenced or in the middle of prose.

    No object is ``{}``. Raises ``Unreadable`` where there are two, or where the only one is a
    ``quotation``.
    """
    text = text[:MAX_REPLY]
    whole, broken = _objects(text)
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
    """(start, end, value) of each object in the form of a reply, outermost only, and how many begin
    like one and are broken off or damaged.
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
    """An object that gives one of its fields twice: which of the two is meant nobody knows, and a
    quotation that broke out of its string looks the same.
    """


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(members)
    if len(made) < len(members):
        return _Ambiguous(made)
    return made


def _levels(value: object) -> list[list[object]]:
    """What stands in ``value``, level by level, down to the first that is too deep."""
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
    """A test whether an object of a reply stands in one of ``texts``, white space aside. Most texts
    are too short, or hold no brace at all, and need not be squeezed for it.
    """
    given = [text for text in texts if "{" in text]

    def stands(piece: str) -> bool:
        if not given:
            return False
        wanted = "".join(piece.split())
        return any(len(text) >= len(wanted) and wanted in "".join(text.split()) for text in given)

    return stands
