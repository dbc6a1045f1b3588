"""Finds a diff that a person pasted into a message, between other words, fenced or not."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BEGINS = re.compile(
    r"(?:^|(?<=\s))(?:"
    r"diff --git \S+ \S[^\n]*\n|diff --(?:cc|combined) \S[^\n]*\n|diff -\S+ \S[^\n]*\n--- |"
    r"Index: \S+\r?\n=|--- \S[^\n]*\n\+\+\+ \S[^\n]*\n@@ |"
    r"\*\*\* \S[^\n]*\n--- \S[^\n]*\n\*{15}|\*\*\* Begin Patch\r?\n|"
    r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@[^\n]*\n[ +-])"
)
_PART = re.compile(
    r"^(?:diff |@@ |--- \S|\+\+\+ \S|\*\*\* \S|\d+(?:,\d+)?[acd]\d+(?:,\d+)?\r?$|Index: \S|Only in "
    r"|Binary files? |Files .+ differ|Submodule \S|rename (?:from|to) )",
    re.MULTILINE,
)
"""Matches a line next to a diff that is about another file of the change, or may be."""
_FENCE = re.compile(
    r"```(?:[\w+-]*\r?\n)?(.*?)(?:(?<=\n)```[ \t\r]*(?=\n|\Z)|```\s*\Z|\Z)", re.DOTALL
)
_MAIL = re.compile(
    r"(?:^|(?<=\s))(?:From [0-9a-f]{7,40} |From: |Subject: |commit [0-9a-f]{7,40}\b)", re.MULTILINE
)

_MOST_WORDS = 400
"""Characters around a short diff, with which the message is still about the diff."""


def pasted_diff(text: str) -> tuple[str, str] | None:
    """Returns the words of a message and the diff in it; None if there is no diff, or it is a small
    part of a longer text. Several fenced diffs are one.
    """
    fences = list(_FENCE.finditer(text))
    starts = [_start(match[1]) for match in fences]
    if all(start is None for start in starts):
        start = _start(text)
        if start is None:
            return None
        words, diffs = text[:start], [text[start:]]
    else:
        words, diffs = _around(text, fences, starts)
    words = " ".join(words.split())
    diff = "".join(one + ("" if one.endswith("\n") else "\n") for one in diffs)
    if len(words) > max(_MOST_WORDS, len(diff)):
        return None
    return words, diff


def _around(
    text: str, fences: Sequence[re.Match[str]], starts: Sequence[int | None]
) -> tuple[str, list[str]]:
    """Returns the words of a message with fenced diffs, and the diffs with all that looks like a
    part of one, which the reader of diffs reads or names.
    """
    words, diffs, at = "", list[str](), 0
    for match, start in zip((*fences, None), (*starts, None), strict=True):
        before = text[at : match.start() if match else len(text)]
        part = _PART.search(before)
        if part:
            diffs.append(before[part.start() :])
            before = before[: part.start()]
        words += before
        if match is None:
            break
        at = match.end()
        part = _PART.search(match[1])
        if start is not None or part:
            diffs.append(match[1][start or 0 :])
        else:
            words += match[0]
        words += " "
    return words, diffs


def _start(text: str) -> int | None:
    begins = _BEGINS.search(text)
    if begins is None:
        return None
    mail = _MAIL.search(text, 0, begins.start())
    return (mail or begins).start()
