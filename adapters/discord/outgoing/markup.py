"""Neutral Markdown pieces as Discord's own dialect, in which foreign text is never anything but
text.

Discord honours a backslash before any punctuation, so what could become a mention, a timestamp, a
spoiler, a custom emoji or a link is escaped. A ping needs ``allowed_mentions`` as well, which the
bot never gives; this keeps text from looking like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from adapters.text.foreign import visible
from adapters.text.links import YOUR_TIME
from adapters.text.markdown import pieces
from adapters.text.pieces import Piece, PieceKind, TextSpan
from adapters.text.splitting import SMALLEST, split
from core.languages import say

_SPECIAL = re.compile(r"[\\`*_~|<>\[\]]|:(?=//)")
_MASS = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
_LINE_START = re.compile(
    r"^([^\S\n]*)(#{1,3}(?=\s)|-#(?=\s)|[-+](?=\s)|\d+(?=[.)]\s))", re.MULTILINE
)
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")
_GAP = "\u200b"
_TICKS = re.compile("`{3,}")


def escape(text: str) -> str:
    """Escapes foreign text so that it shows as it is, anywhere in a line of Discord's Markdown."""
    return _escape(visible(text))


def _escape(text: str) -> str:
    text = _SPECIAL.sub(r"\\\g<0>", text)
    text = _MASS.sub("@" + _GAP, text)
    return _LINE_START.sub(_at_line_start, text)


def _at_line_start(match: re.Match[str]) -> str:
    lead, mark = match.groups()
    if mark.isdecimal():
        return f"{lead}{mark}\\"
    return f"{lead}\\{mark}"


def block(code: str, language: str = "") -> str:
    """Returns a code block that nothing inside can end."""
    inner = _TICKS.sub(lambda run: _GAP.join(run[0]), visible(code))
    if inner.endswith("`"):
        inner += _GAP
    if not inner.strip("\n"):
        inner = " "  # Discord takes the end of an empty block for the beginning of its code
    return f"```{language if _LANGUAGE.fullmatch(language) else ''}\n{inner}\n```"


def render(markdown: str) -> str:
    """Returns foreign Markdown as Discord's, in one text."""
    return "\n".join(_lines(pieces(markdown)))


def render_line(spans: Sequence[TextSpan]) -> str:
    """Typed text as one line."""
    return " ".join(_inline([replace(s, text=visible(s.text)) for s in spans]).split())


def render_within(markdown: str, limit: int) -> list[str]:
    """Returns foreign Markdown as texts of at most ``limit`` UTF-16 units each, in order, with
    nothing lost and every fence whole.
    """
    texts: list[str] = []
    for part in split(markdown, max(limit, SMALLEST)):
        text = render(part)
        if units(text) <= limit or len(part) <= SMALLEST // 10:
            texts.append(text)
        elif len(part) > SMALLEST:  # escaping made it too long: it is split again, and shorter
            smaller = split(part, max(SMALLEST, len(part) * 2 // 3))
            texts += [text for piece in smaller for text in render_within(piece, limit)]
        else:
            step = SMALLEST // 10
            texts += [escape(part[at : at + step]) for at in range(0, len(part), step)]
    return [text for text in texts if text.strip()]


def units(text: str) -> int:
    """Returns the length as the strictest counter sees it: UTF-16 units, two for most emoji."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def label(text: str, limit: int) -> str:
    """Returns foreign text for a name, a button or a choice, which Discord shows as it is: on one
    line, every character visible, at most ``limit`` UTF-16 units.
    """
    text_left = " ".join(visible(text).split())
    if units(text_left) <= limit:
        return text_left
    while units(text_left) >= limit:
        text_left = text_left[: min(len(text_left) - 1, limit)]
    return text_left.rstrip() + "…"


def _lines(blocks: Sequence[Piece]) -> Iterator[str]:
    before: Piece | None = None
    for piece in blocks:
        if (
            before is not None
            and not (before.kind is piece.kind is PieceKind.ITEM)
            and before.quoted == piece.quoted == 0
        ):
            yield ""
        text = _piece(piece)
        if piece.quoted:
            text = "\n".join("> " + line for line in text.split("\n"))
        yield text
        before = piece


def _piece(piece: Piece) -> str:
    match piece.kind:
        case PieceKind.CODE:
            return block(piece.text, piece.info)
        case PieceKind.RULE:
            return "──────────"
        case PieceKind.HEADING:
            text = _escape(piece.text).replace("\n", " ")
            if text.strip():
                return f"**{text}**"
            return ""
        case PieceKind.ITEM:
            mark = {"•": "- ", "": "  "}.get(piece.marker, f"{piece.marker} ")
            return (
                "  " * piece.level
                + mark
                + _inline(piece.spans).replace("\n", "\n" + "  " * (piece.level + 1))
            )
        case PieceKind.PARAGRAPH:
            return _inline(piece.spans)


def _inline(spans: Sequence[TextSpan]) -> str:
    texts = []
    for url, group in groupby(spans, key=lambda span: span.url):
        inner = _joined(map(_span, group))
        if url:
            inner = _link(url, inner)
        texts.append(inner)
    return _LINE_START.sub(_at_line_start, _joined(texts))


def _joined(texts: Iterable[str]) -> str:
    """Joins texts so that an @ at the end of one makes no mention of the next, and code that ends
    where other code begins is not read as one mark, and what follows as markup.
    """
    joined = ""
    for text in filter(None, texts):
        apart = joined.endswith("@") or (joined.endswith("`") and text.startswith("`"))
        joined += _GAP * apart + text
    return joined


def _link(url: str, inner: str) -> str:
    if inner == _escape(url):
        return f"<{url}>"
    return f"[{inner}](<{url}>)"


def _span(span: TextSpan) -> str:
    if span.at:
        return f"<t:{span.at}:f> {say(YOUR_TIME)}"
    if span.code:
        return _code(span.text)
    text = _SPECIAL.sub(r"\\\g<0>", span.text)
    text = _MASS.sub("@" + _GAP, text)
    marks = "**" * span.bold + "*" * span.italic + "~~" * span.strike
    core = text.strip()
    if not marks or not core or "\n" in core:
        return text
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}{marks}{core}{marks[::-1]}{tail}"


def _code(text: str) -> str:
    text = text.replace("\n", " ")
    if "`" not in text:
        return f"`{text}`"
    if "``" in text or text.startswith("`") or text.endswith("`"):
        return _escape(text)
    return f"``{text}``"
