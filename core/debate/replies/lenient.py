r"""Decodes JSON as models write it: with raw line breaks and tabs in strings, escapes that JSON
does not know (``\d``), comments, and a comma before a closing bracket. ``loose`` reads the forms
of JavaScript and Python, too: names without quotation marks, strings in single ones, ``True`` and
``None``. The meaning of everything else is JSON's own; nothing is guessed.
"""

from __future__ import annotations

import json
import re
from typing import Any

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*")|(?P<comment>//[^\n]*|\#[^\n]*|/\*.*?\*/)"""
    r"""|(?P<opens>[{\[])|(?P<closes>[}\]])|(?P<comma>,)|(?P<space>\s+)|[^"/\#{}\[\],\s]+|.""",
    re.DOTALL,
)
_LOOSE = re.compile(
    _TOKEN.pattern.replace(
        r"""[^"/\#{}\[\],\s]+""",
        r"""(?P<single>'(?:[^'\\]|\\.)*')|(?P<word>[A-Za-z_$][\w$-]*)|(?P<number>[+-]?[\d.][\w.+-]*)""",
    ),
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NEAR = 20  # characters between a name and its colon
_KNOWN = frozenset('"\\/bfnrt')


class Twice(dict[str, Any]):
    """An object that gives one of its fields twice: nobody knows which is meant, and a quotation
    that broke out of its string looks the same.
    """


class NotClosed(ValueError):
    """Raised for an object that the text ends before."""


def decode(text: str, start: int, *, loose: bool = False) -> tuple[Any, int]:
    """Returns the object that begins at ``start``, and the position after it. Raises ``ValueError``
    or ``RecursionError`` for a damaged object; ``NotClosed`` for an object without an end.
    """
    try:
        return _DECODER.raw_decode(text, start)
    except ValueError:
        written, end = _plain(text, start, loose=loose)
    return _DECODER.decode(written), end


def _plain(text: str, start: int, *, loose: bool) -> tuple[str, int]:
    """Returns the object that begins at ``start`` in plain JSON, and the position after it."""
    parts: list[str] = []
    depth = 0
    comma = False  # one that is written only if a value follows
    opens = noted = False  # right after an opening bracket, and a comment is there
    for token in (_LOOSE if loose else _TOKEN).finditer(text, start):
        kind, piece = token.lastgroup, token.group()
        if kind == "comment" or (kind == "space" and comma):
            noted = noted or (opens and kind == "comment")
            continue
        if kind == "space":
            parts.append(piece)
            continue
        if noted and kind == "closes":
            raise ValueError("a comment is all that is between two brackets")
        opens, noted = kind == "opens", False
        if kind == "comma" and not comma:
            comma = True
            continue
        if comma and kind != "closes":
            parts.append(",")
        comma = False
        parts.append(_written(kind, piece, text[token.end() : token.end() + _NEAR]))
        depth += (kind == "opens") - (kind == "closes")
        if not depth:
            return "".join(parts), token.end()
    raise NotClosed("the object is not closed")


def _written(kind: str | None, piece: str, after: str) -> str:
    match kind:
        case "string":
            return _ESCAPE.sub(_escaped, piece)
        case "single":
            quoted = re.sub(r'(\\.)|"', lambda match: match.group(1) or '\\"', piece[1:-1])
            return f'"{_ESCAPE.sub(_escaped, quoted)}"'
        case "word":
            return f'"{piece}"' if after.lstrip().startswith(":") else _WORDS.get(piece, piece)
        case "number":
            return str(float(piece)) if piece[0] in "+." or piece[-1] == "." else piece
        case _:
            return piece


def _escaped(match: re.Match[str]) -> str:
    what = match.group(1)
    if len(what) > 1 or what in _KNOWN:
        return match.group()
    return what if what in "'\n" else f"\\\\{what}"


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(members)
    return Twice(made) if len(made) < len(members) else made


_DECODER = json.JSONDecoder(object_pairs_hook=_object, strict=False)
