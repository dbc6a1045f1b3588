"""Limits the length of posts in a thread: the rest is in the report, and the post points to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from adapters.ports.chat import Post
from adapters.text.emoji import character
from adapters.text.markdown import pieces
from adapters.text.pieces import TextSpan
from core.languages import say
from core.words.views.course.invitations import MORE_IN_REPORT
from core.words.views.language.grammar import shortened
from core.words.views.verdict.facts import SEATS, WARNING
from core.words.views.verdict.findings import PEOPLE

LONGEST = 1_150
"""Characters of a post as the platforms count them: with the addresses of its links and the marks
around what is bold. Its buttons come on top.
"""
_LINK, _BOLD = len("[](<>)"), len("****")
_LAST = (PEOPLE, WARNING)
"""Labels of the fields that are left out last; the seats' field is left out first."""
_SENTENCE = re.compile(r"[.!?:](?=\s)|\n\n")


def sentences(text: str, limit: int) -> str:
    """Return the beginning of ``text`` with at most ``limit`` characters, cut between sentences if
    it has some, and never inside a fence or the heading of a table.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    return _without_heading(_beginning(text, limit), text)


def _without_heading(beginning: str, text: str) -> str:
    """Return ``beginning`` without the heading of a table whose first row was cut off."""
    kept = beginning.removesuffix(" …")
    start = kept.rfind("\n", 0, kept.rfind("\n")) + 1
    for at in (kept.rfind("\n") + 1, start):
        read = pieces(text[at:])[:1]
        if read and read[0].rows and not any(p.rows[1:] for p in pieces(kept[at:])):
            return f"{kept[:at].rstrip()} …".strip()
    return beginning


def _beginning(text: str, limit: int) -> str:
    ends = [m.end() for m in _SENTENCE.finditer(text[: limit - 2]) if m.end() > limit // 3]
    kept = [end for end in ends if text[:end].count("```") % 2 == 0]
    if kept:
        return text[: kept[-1]].rstrip() + " …"
    bare = text[: limit - 2]
    if bare.count("```") % 2:
        bare = bare[: bare.rfind("```")].rstrip() or shortened(text, limit - 2)
    return bare.rsplit(" ", 1)[0].rstrip() + " …"


def characters(post: Post) -> int:
    """Returns the length of a post in characters, without its buttons and files."""
    texts = [
        post.title,
        post.who,
        character(post.face),
        post.body,
        post.quote,
        post.patch,
        post.small,
    ]
    lines = sum(map(length, (post.subtitle, *post.lines)))
    return sum(map(len, texts)) + _address(post.url) + lines + sum(map(_field_length, post.fields))


def length(line: Sequence[TextSpan]) -> int:
    """Returns the length of a line in characters, as the platforms count them."""
    return sum(len(s.text) + _address(s.url) + _BOLD * s.bold for s in line) + 1


def _address(url: str) -> int:
    return len(url) + (_LINK if url else 0)


def fitted(post: Post) -> Post:
    """Returns ``post`` within ``LONGEST``: its body is shortened, then the parts go that a reader
    misses least, the last lines first and fields after them.
    """
    over = characters(post) - LONGEST
    if over <= 0:
        return post
    small = " · ".join(filter(None, (post.small, say(MORE_IN_REPORT))))
    over += len(small) - len(post.small)
    if post.body:
        body = sentences(post.body, max(240, len(post.body) - over))
        over -= len(post.body) - len(body)
        post = replace(post, body=body)
    lines, fields, last = list(post.lines), list(post.fields), [*map(say, _LAST)]
    if over > 0:
        fields = list(without_least(post).fields)
        over -= sum(map(_field_length, post.fields)) - sum(map(_field_length, fields))
    while over > 0 and len(lines) > 1:
        over -= length(lines.pop())
    while over > 0 and len(fields) > 1:
        gone = min(reversed(fields), key=lambda field: field[0] in last)
        fields.remove(gone)
        over -= _field_length(gone)
    return replace(post, lines=tuple(lines), fields=tuple(fields), small=small)


def without_least(post: Post) -> Post:
    """Returns ``post`` without the part that a reader misses least."""
    return replace(post, fields=tuple(f for f in post.fields if f[0] != say(SEATS)))


def _field_length(field: tuple[str, str]) -> int:
    return sum(map(len, field)) + _BOLD + 2
