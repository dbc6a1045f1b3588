"""Readers of foreign text, each with a mark that an attacker repeats and the length, in
characters, at which the quadratic reader of before took between a second and a minute.
"""

from __future__ import annotations

from collections.abc import Callable

from adapters.material.prose.html_text import text_of
from adapters.redaction import redact, shared
from adapters.text.markdown import pieces
from adapters.text.splitting import split
from core.material.plaintext import neutral

Reader = Callable[[str], object]

GROWING: dict[str, tuple[Reader, str, int]] = {
    "labels in links": (pieces, "[a](", 6_000),
    "labels in reports": (neutral, "[a](", 8_000),
    "images": (neutral, "![", 8_000),
    "code spans": (neutral, "`a``b", 8_000),
    "tables": (pieces, "a|" * 500 + "\n" + "-|" * 500 + "\n", 8_000),
    "fences": (lambda text: split(text, 2_000), "```\n", 60_000),
    "empty lines": (lambda text: split(text, 2_000), "\n x", 60_000),
    "quotations that end": (lambda text: split(text, 2_000), "> ---\n|\n", 24_000),
    "passwords": (redact, 'password="abcdefg12345" ', 400_000),
    "passwords on lines": (
        lambda text: shared().redact_lines(text.split("\n")),
        'password="abcdefg12345"\n',
        400_000,
    ),
    "tags": (text_of, "<a b='", 1_000_000),
    "references": (text_of, "&#", 1_000_000),
}
