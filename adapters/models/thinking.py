"""Takes the thinking out of an answer that some open models write aloud before their words."""

from __future__ import annotations

import re

_NAMES = "think|thinking|thought|reasoning"
_WHOLE = re.compile(rf"\A\s*(?:<(?P<name>{_NAMES})>.*?</(?P=name)>\s*)+", re.DOTALL)
_HALF = re.compile(rf"\A\s*<(?:{_NAMES})>.*", re.DOTALL)
_HEADLESS = re.compile(rf"\A(?:(?!\{{\s*\").)*?</(?:{_NAMES})>\s*", re.DOTALL)
"""Matches thinking whose first mark is in the prompt of the model; no object begins in it."""


def spoken(text: str, *, whole: bool = True) -> str:
    """Returns an answer without the thinking at its beginning; one that is not ``whole`` may end in
    it.
    """
    rest = _WHOLE.sub("", text)
    if rest == text and "</" in text:
        rest = _HEADLESS.sub("", text)
    return rest if whole else _HALF.sub("", rest)
