"""Values and pages as text."""

from __future__ import annotations

import html
import json
import re
from dataclasses import fields, is_dataclass

_BLOCKS = re.compile(
    r"</?(?:p|div|section|article|li|ul|ol|tr|h\d|summary|details|br|button)\b[^>]*>"
)
_UNREAD = re.compile(r"<(style|script|svg)\b.*?</\1>", re.DOTALL)
_TAGS = re.compile(r"<[^>]+>")
_LONG = re.compile(r"-?\d+\.\d{10,}(?:e[-+]?\d+)?")


def pretty(value: object) -> str:
    """Returns a value as indented JSON. Long fractions are rounded to nine digits, because Pythons
    add them up in different ways.
    """
    made = json.dumps(value, ensure_ascii=False, indent=1, default=_plain)
    return _LONG.sub(lambda fraction: f"{float(fraction[0]):.9g}", made)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)


def words_of(page: str) -> str:
    """Returns the words of a page, a line for each block."""
    bare = _TAGS.sub(" ", _BLOCKS.sub("\n", _UNREAD.sub(" ", page)))
    lines = (" ".join(html.unescape(line).split()) for line in bare.splitlines())
    return "\n".join(line for line in lines if line)
