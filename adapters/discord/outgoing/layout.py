"""Cuts a neutral post into Discord messages, as plain data: their content, and the marks by which
each is recognized again.

Text goes into as few messages as Discord's limits allow; buttons are on the last message, those of
a root on the first, which stays in the channel. A file or a native poll, which cannot be edited
together with text, becomes a separate message. Every message carries two marks made from the post's
key, its number and its channel: a nonce, by which Discord itself drops a repeated post for some
minutes, and the id of its outermost component, by which it is recognized in the channel's history
after that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from adapters.discord.outgoing.files import batches
from adapters.discord.outgoing.markup import (
    block,
    escape,
    label,
    render_line,
    render_within,
    units,
)
from adapters.discord.places import FILE, PLATFORM, POLL
from adapters.ports.chat import PAGE_LINK, Post, Shape, people_of, signature, title_spans
from adapters.text import emoji
from core.application.desk import Button, ChatFile
from core.application.place import Person
from core.languages import say

_TEXT_BUDGET = (
    3700  # of Discord's 4000 displayed characters a message; the rest is for continuation lines
)
_PIECE = 3400  # one text before it is packed
_PLAIN = 1990  # of 2000 characters of a message without components
_TEXTS = 20  # of Discord's 40 components a message
_BUTTONS = 20  # in 4 rows of 5
_POLL_ANSWERS, _POLL_ANSWER, _POLL_QUESTION = 10, 55, 300
_NOTHING = "(nothing)"

_ACCENTS = {
    Shape.ROOT: 0x5865F2,
    Shape.ROUND: 0x4E5058,
    Shape.STATEMENT: 0x4E5058,
    Shape.FINDING: 0xE67E22,
    Shape.CHALLENGE: 0xF1C40F,
    Shape.NOTICE: 0x95A5A6,
    Shape.VERDICT: 0x2ECC71,
}


@dataclass(frozen=True, slots=True)
class DiscordMessage:
    """One Discord message: texts with buttons, or files, or a poll. It is recognized by its
    ``nonce`` and its ``component``.
    """

    nonce: str
    component: int
    accent: int
    texts: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    files: tuple[ChatFile, ...] = ()
    question: str = ""
    answers: tuple[tuple[str, str], ...] = ()  # text, emoji character

    @property
    def kind(self) -> str:
        """``file``, ``poll`` or "" for text."""
        if self.files:
            return FILE
        if self.answers:
            return POLL
        return ""


def marks(key: str, number: int, channel: int) -> tuple[str, int]:
    """Returns what a message is recognized by: a nonce of 25 characters, and for its component a
    positive 31-bit number above any that Discord gives.
    """
    digest = hashlib.sha256(f"{key}\x1f{number}\x1f{channel}".encode()).hexdigest()
    return digest[:25], (int(digest[32:40], 16) & 0x7FFFFFFF) | 0x10000


def layout(post: Post, channel: int) -> list[DiscordMessage]:
    """Returns the messages of ``post`` in ``channel``, in order: texts, then a poll, then files.

    An edit has the marks of what it edits.
    """
    key = post.edits or post.key
    pages = list(_pages(list(_texts(post))))
    if len(pages) > 1:
        pages = [_number_page(page, post, n, len(pages)) for n, page in enumerate(pages, start=1)]
    accent = _ACCENTS[post.shape]
    parts = [
        DiscordMessage(*marks(key, n, channel), accent, tuple(page)) for n, page in enumerate(pages)
    ]
    at = 0 if post.shape is Shape.ROOT else -1
    parts[at] = replace(parts[at], buttons=post.buttons[:_BUTTONS])
    if post.poll:
        answers = tuple(
            (label(answer, _POLL_ANSWER) or "…", _poll_emoji(post, n))
            for n, answer in enumerate(post.poll[:_POLL_ANSWERS])
        )
        parts.append(
            DiscordMessage(
                *marks(key + "#poll", 0, channel),
                accent,
                question=label(
                    post.facts.get("question") or post.title or say("Your vote"), _POLL_QUESTION
                ),
                answers=answers,
            )
        )
    for n, files in enumerate(batches(post.files)):
        named = f"-# {escape(post.title)[:200] or 'Files'}"
        own = marks(key + "#file", n, channel)
        parts.append(DiscordMessage(*own, accent, (named,), files=files))
    return parts


def answer_parts(text: str) -> list[str]:
    """Returns one of our texts (Markdown, foreign text escaped by its maker) as plain messages of
    at most 2000 characters.
    """
    return render_within(text, _PLAIN) or [_NOTHING]


def thread_name(post: Post) -> str:
    """Returns a thread's name: at most 100 characters, on one line, never empty."""
    return label(post.title or post.fallback, 100) or "Debate"


def _texts(post: Post) -> Iterator[str]:
    """Yields the texts of a post in reading order, none too long for one message."""
    yield from _head(post)
    if post.quote:
        yield from _quote(post.quote, "diff" if post.shape is Shape.FINDING else "")
    yield from render_within(post.body, _PIECE)
    if post.lines:
        yield from _chunks("\n".join(map(render_line, post.lines)))
    yield from _fields(post.fields)
    if post.patch:
        yield from _quote(post.patch, "diff")
    if post.small:
        yield from _chunks("-# " + " ".join(escape(post.small).split()))
    if page := post.facts.get("page", ""):
        yield f"-# [{say(PAGE_LINK)}](<{page}>)"
    if not (post.title or post.who or post.body or post.quote or post.fields):
        yield from _chunks(escape(post.fallback) or _NOTHING)


def _head(post: Post) -> Iterator[str]:
    title, who = (
        _mention_person(escape(" ".join(post.title.split())), post),
        escape(signature(post)),
    )
    below = render_line(post.subtitle)
    if who:
        beside = " · ".join(filter(None, (f"**{who}**", below)))
        yield from _chunks("\n-# ".join(filter(None, (beside, title))))
        return
    if title and post.url:
        title = render_line([replace(span, bold=False) for span in title_spans(post)])
    if title and post.shape is not Shape.NOTICE:
        title = f"### {title}"
    yield from _chunks("\n".join(filter(None, (title, below))))


def _mention_person(title: str, post: Post) -> str:
    """Returns the title with the people that it is about as mentions, which show their names and
    ping nobody, because no message allows that.
    """
    for person in map(Person.parse, people_of(post)):
        if person.platform == PLATFORM and person.account.isdecimal():
            title = title.replace(person.account, f"<@{person.account}>", 1)
    return title


def _quote(quote: str, language: str) -> Iterator[str]:
    """Yields a quote as code, so that it shows exactly as in the material."""
    lines = quote.split("\n")
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and units(block("\n".join(lines[at : end + 1]), language)) <= _PIECE:
            end += 1
        text = "\n".join(lines[at:end])
        if units(block(text, language)) <= _PIECE:
            yield block(text, language)
        else:
            yield from (
                block(text[n : n + _PIECE // 10]) for n in range(0, len(text), _PIECE // 10)
            )
        at = end


def _fields(fields: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yields the texts of lines with label and text, as many lines in each as fit."""
    held = ""
    for name, text in fields:
        first, *rest = _render_line(name, text)
        if held and units(held) + units(first) + 1 > _PIECE:
            yield held
            held = first
        else:
            held = "\n".join(filter(None, (held, first)))
        for more in rest:
            yield held
            held = more
    if held:
        yield held


def _render_line(name: str, text: str) -> list[str]:
    head = f"**{escape(name)}** "
    first, *rest = render_within(text, _PIECE - 300) or ["–"]
    if units(head) < 300:
        return [head + first, *rest]
    return [*_chunks(head), first, *rest]


def _chunks(text: str) -> Iterator[str]:
    """Yields a line of escaped text, cut if it is too long for one message and never inside an
    escape.
    """
    while units(text) > _PIECE:
        at = text.rfind(" ", _PIECE // 4, _PIECE // 2) + 1 or _PIECE // 2
        while text[at - 1] == "\\":
            at -= 1
        yield text[:at]
        text = text[at:]
    if text:
        yield text


def _pages(texts: list[str]) -> Iterator[list[str]]:
    page: list[str] = []
    for text in texts:
        if page and (len(page) >= _TEXTS or sum(map(units, page)) + units(text) > _TEXT_BUDGET):
            yield page
            page = []
        page.append(text)
    yield page or [_NOTHING]


def _number_page(page: list[str], post: Post, number: int, total: int) -> list[str]:
    if number == 1:
        return [*page, f"-# ({number}/{total})"]
    who = escape(signature(post) or post.title)[:120].rstrip("\\")
    return [f"-# {who} ({number}/{total})", *page]


def _poll_emoji(post: Post, number: int) -> str:
    if number < len(post.reaction_options):
        return emoji.character(post.reaction_options[number].emoji)
    return emoji.character(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "keycap_ten")[
            number
        ]
    )
