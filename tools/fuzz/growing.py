"""Readers of foreign text, each with a mark that an attacker repeats and the length, in
characters, at which the quadratic reader of before took between a second and a minute.
"""

from __future__ import annotations

from collections.abc import Callable

from adapters.discord.outgoing.markup import escape
from adapters.material.prose.html_text import text_of
from adapters.models.scripted.reading import read
from adapters.redaction import redact, redact_lines
from adapters.text.links import HOSTS, link_spans
from adapters.text.markdown import pieces
from adapters.text.pieces import TextSpan
from adapters.text.splitting import split
from core.debate.material.plaintext import neutral
from core.debate.ports import Message
from core.debate.verdict.findings.evidence import figures

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
        lambda text: redact_lines(text.split("\n")),
        'password="abcdefg12345"\n',
        400_000,
    ),
    "tags": (text_of, "<a b='", 1_000_000),
    "references": (text_of, "&#", 1_000_000),
    "rules in prompts": (lambda text: read([Message("user", text)]), "a-", 400_000),
    "labels that look like words": (
        lambda text: link_spans("https://github.com/", [TextSpan(text)], HOSTS),
        "a-",
        400_000,
    ),
    "empty lines in a chat": (escape, "\n\n", 100_000),
    "figures": (figures, "1,", 400_000),
}
