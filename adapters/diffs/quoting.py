"""Reads file names out of git's quoting."""

from __future__ import annotations

import re

_QUOTED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_PLAIN_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}


def both_sides(text: str) -> tuple[str, str]:
    """Returns the names in ``OLD and NEW``, split where both are the same file below a folder, or
    one is none; else at the last ``and``.
    """
    words = text.split(" and ")
    splits = [(" and ".join(words[:n]), " and ".join(words[n:])) for n in range(1, len(words))]
    for old, new in splits:
        below = old.partition("/")[2]
        if "/dev/null" in (old, new) or old == new or (below and below == new.partition("/")[2]):
            return old, new
    return splits[-1]


def closing_quote(text: str) -> int:
    index = 1
    while index < len(text) and text[index] != '"':
        index += 2 if text[index] == "\\" else 1
    return index


def unquoted(text: str) -> str:
    """Returns a file name without git's quoting."""
    if not text.startswith('"'):
        return text
    inner = text[1 : closing_quote(text)].encode("utf-8", "backslashreplace")
    return _QUOTED.sub(lambda match: _character(match.group(1)), inner).decode(
        "utf-8", "backslashreplace"
    )


def _character(escape: bytes) -> bytes:
    if len(escape) == 3:
        return bytes([int(escape, 8) & 0xFF])
    return _PLAIN_ESCAPES.get(escape, escape)
