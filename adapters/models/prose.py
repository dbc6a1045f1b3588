"""Turns a streamed answer into words for people: the prose, without the JSON around or after it.

A reply is a JSON object with a ``text`` field, or prose followed by a fenced block. A person who
watches wants to read neither braces nor escapes. Only the display is filtered; the reply itself
stays whole.
"""

from __future__ import annotations

import json
import re

from adapters.models.tokens import TokenCounts
from core.debate.ports import OnWords

FENCE = "```json"
_FIELD = re.compile(r'"text"\s*:\s*"')
_WHOLE = re.compile(r'[^"\\]*(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^"\\]*)*')
"""The part of a string before its end and before an escape that has only begun. It has no
possessive group, because Python 3.11.2 finds nothing with one here.
"""
_HALF_A_PAIR = re.compile(r"(?<!\\)(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})\Z")

_THINKING = "think|thinking|thought|reasoning"
_THOUGHT = re.compile(rf"\A\s*(?:<(?P<name>{_THINKING})>.*?</(?P=name)>\s*)+", re.DOTALL)
_STILL_THINKING = re.compile(rf"\A\s*<(?:{_THINKING})>.*", re.DOTALL)
_HEADLESS = re.compile(rf"\A(?:(?!\{{\s*\").)*?</(?:{_THINKING})>\s*", re.DOTALL)
"""Matches thinking whose first mark is in the prompt of the model; no object begins in it."""


class Prose:
    """Feed it the pieces of an answer; it calls ``on_words`` with new prose only.

    ``text`` is everything fed so far; ``spent`` has the tokens of each answer that has begun, even
    if it failed later.
    """

    def __init__(self, on_words: OnWords | None) -> None:
        self.text = ""
        self.spent: list[TokenCounts] = []
        self._on_words = on_words
        self._shown = 0
        self._thought = 0
        self._field: _Field | None = None

    @property
    def watched(self) -> bool:
        """True if someone sees the words as they come."""
        return self._on_words is not None

    def feed(self, piece: str) -> None:
        self.text += piece
        if self._on_words is None:
            return
        text = self.text[self._thought :]
        start = text.lstrip()
        if start.startswith("<") and not self._shown:  # it may begin with thinking
            start = spoken(start, whole=False) if ">" in piece else ""
            if not start:
                return
            self._thought = len(self.text) - len(start)
            text = start
        if self._field is None and start.startswith(("{", FENCE)):
            self._field = _Field()
        if self._field is not None:
            fresh = self._field.fresh(text)
        else:
            fresh = _prose(text, start)[self._shown :]
            self._shown += len(fresh)
        if fresh:
            self._on_words(fresh)


def _prose(text: str, start: str) -> str:
    """Returns the part of an unfinished answer in plain words that may be shown already; ``start``
    is the text from its first word on.

    It only ever grows as ``text`` grows.
    """
    if start and FENCE.startswith(start):  # it may become the fence around an object
        return ""
    if FENCE in text:
        return text[: text.index(FENCE)].rstrip()
    held = next((n for n in range(len(FENCE) - 1, 0, -1) if text.endswith(FENCE[:n])), 0)
    if held:
        return text[: len(text) - held].rstrip()
    return text.rstrip()


class _Field:
    """The value of the first ``text`` field of an unfinished JSON object, read once: a long answer
    comes in hundreds of pieces.
    """

    def __init__(self) -> None:
        self._at = -1
        """The position in the text at which the next piece of the value begins, between two
        characters of it; -1 before the value.
        """
        self._over = False

    def fresh(self, text: str) -> str:
        """Returns the part of the value that came since the last call, decoded."""
        if self._at < 0 and (begins := _FIELD.search(text)):
            self._at = begins.end()
        if self._at < 0 or self._over:
            return ""
        whole = _WHOLE.match(text, self._at)
        end = self._at
        if whole:
            end = whole.end()
        self._over = text[end : end + 1] == '"'
        piece = text[self._at : end]
        if not self._over and (half := _HALF_A_PAIR.search(piece)):
            piece = piece[: half.start(1)]
        self._at += len(piece)
        try:
            return str(json.loads(f'"{piece}"', strict=False))
        except json.JSONDecodeError:
            self._over = True
            return ""


def spoken(text: str, *, whole: bool) -> str:
    """Returns an answer without the thinking at its beginning; one that is not ``whole`` may end in
    it.
    """
    rest = _THOUGHT.sub("", text)
    if rest == text and "</" in text:
        rest = _HEADLESS.sub("", text)
    if whole:
        return rest
    return _STILL_THINKING.sub("", rest)
