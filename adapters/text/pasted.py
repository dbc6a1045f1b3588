"""Finds a diff that a person pasted into a message, between other words, fenced or not."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEGINS = re.compile(
    r"(?:^|(?<=\s))(?:"
    r"diff --git \S+ \S[^\n]*\n|diff -\S+ \S[^\n]*\n--- |Index: \S+\r?\n=|"
    r"--- \S[^\n]*\n\+\+\+ \S[^\n]*\n@@ )"
)
_FENCE = re.compile(
    r"```(?:[\w+-]*\r?\n)?(.*?)(?:(?<=\n)```[ \t\r]*(?=\n|\Z)|```\s*\Z|\Z)", re.DOTALL
)
_MAIL = re.compile(
    r"(?:^|(?<=\s))(?:From [0-9a-f]{7,40} |From: |Subject: |commit [0-9a-f]{7,40}\b)", re.MULTILINE
)

_MOST_WORDS = 400
"""Characters around a short diff, with which the message is still about the diff."""


@dataclass(frozen=True, slots=True)
class PastedDiff:
    """``words`` are the message without the ``diff``."""

    words: str
    diff: str


def pasted_diff(text: str) -> PastedDiff | None:
    """Returns the diff in a message, None if there is none or it is a small part of a longer text.
    Several fenced diffs are one.
    """
    words, diffs, at = "", [], 0
    for match in _FENCE.finditer(text):
        start = _start(match[1])
        if start is not None:
            words += f"{text[at : match.start()]} "
            diffs.append(match[1][start:])
            at = match.end()
    start = _start(text) if not diffs else len(text)
    if start is None:
        return None
    if not diffs:
        diffs.append(text[start:])
    words = " ".join((words + text[at:start]).split())
    diff = "".join(one if one.endswith("\n") else f"{one}\n" for one in diffs)
    if len(words) > max(_MOST_WORDS, len(diff)):
        return None
    return PastedDiff(words, diff)


def _start(text: str) -> int | None:
    """Returns the offset at which a diff begins in a text, with the mail that holds it."""
    begins = _BEGINS.search(text)
    if begins is None:
        return None
    mail = _MAIL.search(text, 0, begins.start())
    return mail.start() if mail else begins.start()
