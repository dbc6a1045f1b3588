"""Finds the one JSON object of a reply, whatever a model wrapped around it.

Strangers write the text that a seat reads, and a seat that quotes it may quote an object in the
form of a reply. So an object counts only if no other differs from it and it is not in the text that
the seat read; otherwise the reply is unreadable and is asked for once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from core.debate.errors import DebateError
from core.debate.replies.lenient import NotClosed, Twice, decode
from core.debate.replies.tasks import TASKS
from core.debate.stored import stored

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

FINDING = frozenset({"severity", "title"})
"""The members by which a finding is known that came without the object around it."""
_FENCE = re.compile(r"\A\s*```\w*\s*\n(.*?)\n?```\s*\Z", re.DOTALL)
_BEGINS = re.compile(r'\{\s*(?:["}]|//|/\*|#)')
_BEGINS_LOOSE = re.compile(r"""\{\s*(?:["'}]|//|/\*|\#|[A-Za-z_$][\w$-]*\s*:)""")
_NAMES = "|".join(sorted(FIELDS))
_REPLY_BEGINS = re.compile(rf'\{{\s*"(?:{_NAMES})"\s*:', re.IGNORECASE)
_LOOKS_LIKE = re.compile(rf"""\{{\s*\\?["'“”‘’]?(?:{_NAMES})\\?["'“”‘’]?\s*:""", re.IGNORECASE)
"""Matches the beginning of a reply in other quotation marks than JSON's, or in none."""

Quotation = Callable[[str], bool]
"""Returns True if a piece of a reply is in the text that the seat read."""


class Unreadable(DebateError):
    """Raised for a reply that lacks what its task requires; the message tells the model (and the
    record) what is missing.
    """


@dataclass(frozen=True, slots=True)
class _Piece:
    """An object of a reply: its place in the reply, its value, and the text that has the value, as
    it is written and in JSON.
    """

    start: int
    end: int
    value: dict[str, Any]
    text: str
    plain: str = ""


def find_object(text: str, quotation: Quotation = lambda _: False) -> tuple[str, dict[str, Any]]:
    """Returns the prose and the JSON object of a reply, whether the object is bare, fenced, in the
    middle of prose, in one more object around it or written as a string; a reply without one gives
    ``{}``. Findings that came without the object around them make one.

    Raises ``Unreadable`` if there are two that differ, if the only one is a ``quotation``, or is
    damaged: its findings would be lost unseen.
    """
    text = _out_of_string(text[:MAX_REPLY])
    whole, damage = _whole(text, quotation)
    if not whole and (damage or _LOOKS_LIKE.search(text)):
        read, harmed = _whole(text, quotation, loose=True)
        if read and not harmed:
            whole, damage = read, ""
    if damage and whole:
        raise Unreadable(
            stored(
                "the reply holds a whole JSON object and another that is {why_damage}",
                why_damage=damage,
            )
        )
    if damage or (not whole and _LOOKS_LIKE.search(text)):
        raise _unreadable_object(damage)
    if not whole:
        return text.strip(), {}
    value = whole[0].value
    if any(piece.value != value for piece in whole):
        raise Unreadable(stored("the reply holds more than one JSON object"))
    if any(quotation(form) for piece in whole for form in (piece.text, piece.plain) if form):
        raise Unreadable(stored("the reply only quotes a JSON object from what it read"))
    return _prose(text, whole), value


def _whole(text: str, quotation: Quotation, *, loose: bool = False) -> tuple[list[_Piece], str]:
    """Returns the replies in a text, in whatever is around them, and the damage of others. Raises
    ``Unreadable`` if findings are outside a reply, unless they are a ``quotation``.
    """
    replies, others, damage = _objects(text, loose=loose)
    if replies and not all(quotation(piece.text) for piece in _findings(others)):
        raise Unreadable(stored("the reply holds findings outside its JSON object"))
    return replies or _findings(others) or list(_wrapped(others, quotation)), damage


_DAMAGED = stored("damaged or too long")
_CUT = stored("not closed: it was cut, is too long, or lacks a bracket")


def _unreadable_object(damage: str) -> Unreadable:
    return Unreadable(
        stored("the reply's JSON object is {why_damage}", why_damage=damage or _DAMAGED)
    )


def _prose(text: str, whole: Sequence[_Piece]) -> str:
    parts, at = [], 0
    for piece in whole:
        parts.append(re.sub(r"```\w*\s*\Z", "", text[at : piece.start]))
        at = piece.end
    parts.append(text[at:])
    rest = [parts[0], *(re.sub(r"\A\s*```", "", part) for part in parts[1:])]
    return "\n".join(filter(None, (part.strip() for part in rest)))


def named(value: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an object with its members as they are called here: “movedBy” and “Moved by” are
    ``moved_by``. Raises ``Unreadable`` if one is given twice.
    """
    made = {_name(key): member for key, member in value.items()}
    if isinstance(value, Twice) or len(made) < len(value):
        raise Unreadable(stored("the JSON object gives one field twice"))
    return made


def _name(key: str) -> str:
    return re.sub(r"[\s_-]+|(?<=[a-z])(?=[A-Z])", "_", key.strip()).lower()


def _out_of_string(text: str) -> str:
    """Returns the text of a reply that is one JSON string as a whole."""
    bare = _FENCE.sub(r"\1", text).strip()
    if not (bare.startswith('"') and bare.endswith('"') and "{" in bare):
        return text
    try:
        return str(json.loads(bare, strict=False))
    except ValueError:
        return text


def _objects(text: str, *, loose: bool = False) -> tuple[list[_Piece], list[_Piece], str]:
    """Returns the outermost objects in the form of a reply, the other outermost objects, and the
    damage of objects that can't be read.
    """
    replies: list[_Piece] = []
    others: list[_Piece] = []
    damage, at = "", 0
    for _ in range(_MAX_TRIES):
        begins = (_BEGINS_LOOSE if loose else _BEGINS).search(text, at)
        if begins is None:
            return replies, others, damage
        start = begins.start()
        try:
            value, end = decode(text, start, loose=loose)
        except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
            if (_LOOKS_LIKE if loose else _REPLY_BEGINS).match(text, start):
                if isinstance(error, NotClosed):  # all that follows is inside it
                    return replies, others, _CUT
                damage = _DAMAGED
            at = start + 1
            continue
        plain = json.dumps(value, ensure_ascii=False) if loose else ""
        if _is_reply(value):
            replies.append(_Piece(start, end, _checked(value), text[start:end], plain))
        else:
            others.append(_Piece(start, end, value, text[start:end], plain))
        at = end
    raise Unreadable(stored("the reply holds too many braces to find its JSON object"))


def _is_reply(value: Mapping[str, Any]) -> bool:
    return not FIELDS.isdisjoint(map(_name, value))


def _checked(value: dict[str, Any]) -> dict[str, Any]:
    levels = _levels(value)
    if len(levels) > _MAX_DEPTH:
        raise Unreadable(stored("the JSON object is nested too deeply"))
    if any(isinstance(one, Twice) for level in levels for one in level):
        raise Unreadable(stored("the JSON object gives one field twice"))
    return named(value)


def _findings(others: Sequence[_Piece]) -> list[_Piece]:
    """Returns one object of the findings that a reply gives one by one, or as a bare list."""
    pieces = [piece for piece in others if set(map(_name, piece.value)) >= FINDING]
    value = {"findings": [_checked(piece.value) for piece in pieces]}
    return [replace(piece, value=value) for piece in pieces]


def _wrapped(others: Sequence[_Piece], quotation: Quotation) -> Iterator[_Piece]:
    """Yields the replies that are the member of one more object, or of a call of a tool, as an
    object or as a string that holds one.
    """
    for outer in others:
        for inner in _inside(outer.value):
            if isinstance(inner, str):
                replies, damage = _whole(inner, quotation)
                if damage or len(replies) != 1:
                    raise _unreadable_object(damage)
                yield replace(replies[0], start=outer.start, end=outer.end)
            else:
                yield replace(outer, value=_checked(inner), text=_text_of(inner, outer.text))


def _text_of(inner: dict[str, Any], text: str) -> str:
    at = text.find("{", 1)
    while at > 0:
        with suppress(ValueError, RecursionError):
            value, end = decode(text, at)
            if value == inner:
                return text[at:end]
        at = text.find("{", at + 1)
    return text


def _inside(value: Mapping[str, Any], depth: int = 3) -> Iterator[dict[str, Any] | str]:
    for member in value.values():
        if isinstance(member, str):
            text = _FENCE.sub(r"\1", member).strip()
            if text.startswith("{") and _LOOKS_LIKE.search(text):
                yield text
        elif isinstance(member, dict):
            if _is_reply(member):
                yield member
            elif depth:
                yield from _inside(member, depth - 1)


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
    """Returns a test whether an object of a reply is in one of ``texts``, apart from white space.

    Texts that are too short or hold no brace are skipped without squeezing.
    """
    given = [text for text in texts if "{" in text]

    def stands(piece: str) -> bool:
        if not given:
            return False
        wanted = "".join(piece.split())
        return any(len(text) >= len(wanted) and wanted in "".join(text.split()) for text in given)

    return stands
