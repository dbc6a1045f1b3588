"""How long anything in a thread may be: what does not fit stands in the report, and the post says
so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from adapters.ports.chat import Post
from adapters.text.emoji import character
from adapters.text.pieces import Span
from core.views.course.invitations import MORE_IN_REPORT
from core.views.language.grammar import shortened
from core.views.verdict.facts import WARNING

LONGEST = 1_150
"""Characters of a post that a reader sees; its buttons come on top."""
_SENTENCE = re.compile(r"[.!?:](?=\s)|\n\n")


def sentences(text: str, limit: int) -> str:
    """The beginning of ``text`` with at most ``limit`` characters, cut between sentences where it
    has some, and never inside a fence.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    ends = [m.end() for m in _SENTENCE.finditer(text, 0, limit - 2) if m.end() > limit // 3]
    kept = [end for end in ends if text[:end].count("```") % 2 == 0]
    if kept:
        return text[: kept[-1]].rstrip() + " …"
    bare = text[: limit - 2]
    if bare.count("```") % 2:
        bare = bare[: bare.rfind("```")].rstrip() or shortened(text, limit - 2)
    return bare.rsplit(" ", 1)[0].rstrip() + " …"


def characters(post: Post) -> int:
    """How much a reader sees of it, buttons and files aside."""
    spans = [*post.subtitle, *(span for line in post.lines for span in line)]
    texts = [
        post.title,
        post.who,
        character(post.face),
        post.body,
        post.quote,
        post.small,
        *(s.text for s in spans),
    ]
    labels = sum(len(label) + len(text) + 3 for label, text in post.fields)
    return sum(map(len, texts)) + labels + len(post.lines)


def fitted(post: Post) -> Post:
    """``post`` within ``LONGEST``: first its body is shortened, then its last lines go, then its
    last fields, warnings after all others.
    """
    over = characters(post) - LONGEST
    if over <= 0:
        return post
    small = " · ".join(filter(None, (post.small, MORE_IN_REPORT)))
    over += len(small) - len(post.small)
    if post.body:
        body = sentences(post.body, max(240, len(post.body) - over))
        over -= len(post.body) - len(body)
        post = replace(post, body=body)
    lines, fields = list(post.lines), list(post.fields)
    while over > 0 and len(lines) > 1:
        over -= _length(lines.pop())
    while over > 0 and len(fields) > 1:
        others = [n for n, (label, _) in enumerate(fields) if label != WARNING]
        label, text = fields.pop(others[-1] if others else -1)
        over -= len(label) + len(text) + 3
    return replace(post, lines=tuple(lines), fields=tuple(fields), small=small)


def _length(line: Sequence[Span]) -> int:
    return sum(len(span.text) for span in line) + 1
