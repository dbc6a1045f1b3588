"""Turns a streamed answer into words for people: the prose, without the JSON around or after it.

A reply is a JSON object with a ``text`` field, or prose followed by a fenced block. A person who
watches wants to read neither braces nor escapes. Only the display is filtered; the reply itself
stays whole.
"""

from __future__ import annotations

import json
import re

from core.ports import OnWords

FENCE = "```json"
_FIELD = re.compile(r'"text"\s*:\s*"')
_STRING_END = re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL)


class Prose:
    """Feed it the pieces of an answer; it calls ``on_words`` with new prose only.

    ``text`` is everything fed so far.
    """

    def __init__(self, on_words: OnWords | None) -> None:
        self.text = ""
        self._on_words = on_words
        self._shown = 0

    @property
    def watched(self) -> bool:
        """Whether somebody sees the words as they come."""
        return self._on_words is not None

    def feed(self, piece: str) -> None:
        self.text += piece
        if self._on_words is None:
            return
        prose = _prose(self.text)
        if len(prose) > self._shown:
            self._on_words(prose[self._shown :])
            self._shown = len(prose)


def _prose(text: str) -> str:
    """The part of an unfinished answer that may be shown already.

    It only ever grows as ``text`` grows.
    """
    start = text.lstrip()
    if start.startswith("{") or (start and FENCE.startswith(start[: len(FENCE)])):
        return _field(start)
    if FENCE in text:
        return text[: text.index(FENCE)].rstrip()
    held = next((n for n in range(len(FENCE) - 1, 0, -1) if text.endswith(FENCE[:n])), 0)
    if held:
        return text[: len(text) - held].rstrip()
    return text.rstrip()


def _field(text: str) -> str:
    """The decoded value of the first ``text`` field of an unfinished JSON object, empty until it
    begins.
    """
    if not (start := _FIELD.search(text)):
        return ""
    rest = text[start.end() :]
    if done := _STRING_END.match(rest):
        rest = rest[: done.end() - 1]
    else:
        rest = re.sub(r"\\(?:u[0-9a-fA-F]{0,3})?$", "", rest) if not rest.endswith("\\\\") else rest
        rest = re.sub(r"\\ud[89ab][0-9a-f]{2}$", "", rest, flags=re.IGNORECASE)
    try:
        return str(json.loads(f'"{rest}"', strict=False))
    except json.JSONDecodeError:
        return ""
