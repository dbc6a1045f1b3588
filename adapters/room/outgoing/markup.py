"""Markdown of models and strangers as HTML, built piece by piece from plain text.

Every text is escaped, so nothing of the source can become markup; links are the few that
``adapters.text.markdown`` found honest. Headings of a foreign text are shown as strong lines: the
outline of a page is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from markupsafe import Markup, escape

from adapters.text.foreign import visible
from adapters.text.markdown import pieces
from adapters.text.pieces import Piece, PieceKind, TextSpan

_PLAIN = re.compile(r"[^\\`*_~\[\]<>&#|!\n]*")
"""Matches a line without any sign of Markdown, apart from its beginning."""
_BEGINS = re.compile(r"\s|[-+=]|\d+[.)]")
_TITLE, _CELL = Markup("<th>{}</th>"), Markup("<td>{}</td>")
_LINK = Markup('<a href="{}" rel="noopener noreferrer nofollow">{}</a>')
_CODE, _STRONG = Markup("<code>{}</code>"), Markup("<strong>{}</strong>")
_AT_ONCE = 60_000
"""Characters that are escaped in one go."""
_EM, _STRUCK = Markup("<em>{}</em>"), Markup("<s>{}</s>")


@lru_cache(maxsize=2048)
def html(markdown: str) -> Markup:
    """Returns ``markdown`` as safe HTML."""
    if _PLAIN.fullmatch(markdown) and "://" not in markdown and not _BEGINS.match(markdown):
        return Markup("<p>{}</p>").format(visible(markdown))
    return Markup("").join(_quoted(pieces(markdown)))


def escaped(text: str) -> Markup:
    """Returns a whole file's text, escaped piece by piece: other threads have their turn in
    between.
    """
    pieces = (text[at : at + _AT_ONCE] for at in range(0, len(text), _AT_ONCE))
    return Markup("").join(map(escape, pieces))


def inline(text: str) -> Markup:
    """Returns one line of foreign text in which only ``code`` in backticks is shown as such."""
    parts = re.split(r"`([^`\n]+)`", visible(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if n % 2 else escape(part)
        for n, part in enumerate(parts)
    )


def _quoted(blocks: Sequence[Piece]) -> Iterator[Markup]:
    for depth, group in groupby(blocks, key=lambda piece: piece.quoted):
        inner = Markup("").join(_blocks(list(group)))
        for _ in range(min(depth, 5)):
            inner = Markup("<blockquote>{}</blockquote>").format(inner)
        yield inner


def _blocks(blocks: Sequence[Piece]) -> Iterator[Markup]:
    for is_item, group in groupby(blocks, key=lambda piece: piece.kind is PieceKind.ITEM):
        if is_item:
            yield _list(list(group))
        else:
            yield from map(_block, group)


def _block(piece: Piece) -> Markup:
    match piece.kind:
        case PieceKind.CODE if piece.rows:
            return _table(piece.rows)
        case PieceKind.CODE:
            return Markup('<pre tabindex="0"><code>{}</code></pre>').format(piece.text)
        case PieceKind.RULE:
            return Markup("<hr>")
        case PieceKind.HEADING:
            return Markup('<p class="head"><strong>{}</strong></p>').format(_spans(piece.spans))
        case _:
            return Markup("<p>{}</p>").format(_spans(piece.spans))


def _list(items: Sequence[Piece]) -> Markup:
    """Returns items of one list and of the lists inside them; an item without a marker continues
    with the one before it.
    """
    out: list[Markup] = []
    opened: list[str] = []
    for item in items:
        tag = "ol" if item.marker.rstrip(".").isdigit() else "ul"
        while len(opened) > item.level + 1:
            out.append(_close(opened))
        same = len(opened) == item.level + 1
        if same and item.marker and tag != opened[-1]:
            out.append(_close(opened))
            same = False
        if same and not item.marker:
            out.append(Markup("<p>{}</p>").format(_spans(item.spans)))
            continue
        if same:
            out.append(Markup("</li><li>"))
        while len(opened) < item.level + 1:
            out.append(_open(tag, item.marker))
            opened.append(tag)
        out.append(_spans(item.spans))
    while opened:
        out.append(_close(opened))
    return Markup("").join(out)


def _open(tag: str, marker: str) -> Markup:
    number = marker.rstrip(".")
    if tag == "ol" and number not in ("", "1"):
        return Markup('<ol start="{}"><li>').format(number)
    if tag == "ol":
        return Markup("<ol><li>")
    return Markup("<ul><li>")


def _close(opened: list[str]) -> Markup:
    if opened.pop() == "ol":
        return Markup("</li></ol>")
    return Markup("</li></ul>")


def _table(rows: Sequence[Sequence[str]]) -> Markup:
    lines = [
        Markup("<tr>{}</tr>").format(
            Markup("").join((_CELL if n else _TITLE).format(inline(cell)) for cell in row)
        )
        for n, row in enumerate(rows)
    ]
    return Markup('<div class="wide" tabindex="0"><table>{}{}</table></div>').format(
        Markup("<thead>{}</thead>").format(lines[0]),
        Markup("<tbody>{}</tbody>").format(Markup("").join(lines[1:])),
    )


def _spans(spans: Iterable[TextSpan]) -> Markup:
    return Markup("").join(map(_span, spans))


def _span(span: TextSpan) -> Markup:
    markup: Markup = escape(span.text).replace("\n", Markup("<br>"))
    for on, around in (
        (span.code, _CODE),
        (span.bold, _STRONG),
        (span.italic, _EM),
        (span.strike, _STRUCK),
    ):
        if on:
            markup = around.format(markup)
    if span.url:
        return _LINK.format(span.url, markup)
    return markup
