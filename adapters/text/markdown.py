"""Markdown of models and strangers as typed pieces, from which each chat builds its own markup.

Ready-made converters pass mentions, links with a lying label and control characters on. Here
nothing of the source survives as markup: a piece holds plain text with flags, a link only if it is
https, on a known host and labelled honestly. What a renderer does not put into markup itself cannot
become any.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.text.foreign import visible
from adapters.text.links import HOSTS, bare_links, link_spans, target_spans
from adapters.text.parser import DEEPEST, markdown_parser
from adapters.text.pieces import Piece, PieceKind, TextSpan

if TYPE_CHECKING:
    from markdown_it.token import Token

_LINES, _MARKS, _MOST_MARKS = 400, "*_~`[]<&\\|!", 1_500
"""Most lines and marks of a text that is parsed, and the marks; a text with more was not written to
be read and is shown as it is. A line takes 25 microseconds to parse and a mark 10, and a post is
laid out between two heartbeats.
"""
_WIDEST, _PADDED = 40, 20
"""Characters to which the cells of a column are padded, and the most columns that are."""
_LINK = re.compile(r"\[`?([^\[\]`]{1,200})`?\]\((https://[^\s()]{1,1000})\)")


def pieces(markdown: str, hosts: Collection[str] = HOSTS) -> list[Piece]:
    """Returns the blocks of ``markdown`` in order.

    HTML, images, reference links and tables become text; nothing is dropped.
    """
    source = visible(markdown)
    if source.count("\n") > _LINES or sum(map(source.count, _MARKS)) > _MOST_MARKS:
        return [Piece(PieceKind.PARAGRAPH, (TextSpan(source.strip()),))]
    tokens = markdown_parser().parse(source)
    if any(token.level >= DEEPEST - 2 for token in tokens):
        return [Piece(PieceKind.PARAGRAPH, (TextSpan(source.strip()),))]
    return list(_Reader(tokens, source.split("\n"), hosts).blocks())


def plain(blocks: Sequence[Piece]) -> str:
    """Return the text without any markup, for notifications, screen readers and searches."""
    return "\n".join(map(_plain, blocks))


def _plain(block: Piece) -> str:
    if block.kind is PieceKind.RULE:
        return "---"
    if block.rows:
        return "\n".join(f"{', '.join(filter(None, row))};" for row in block.rows)
    return block.lead("  ") + block.text


class _Reader:
    """Walks the parser's flat tokens once, keeping the quotes and lists it is in."""

    def __init__(self, tokens: list[Token], lines: list[str], hosts: Collection[str]) -> None:
        self.tokens = tokens
        self.lines = lines
        self.hosts = hosts
        self.quoted = 0
        self.lists: list[int | None] = []  # the next number of each open list, None for bullets
        self.marker = ""
        self.heading = 0

    def blocks(self) -> Iterator[Piece]:
        in_table = False
        for token in self.tokens:
            match token.type:
                case "table_open" if token.map:
                    in_table = True
                    lines = self.lines[token.map[0] : token.map[1]]
                    rows = _rows(lines, self.hosts)
                    yield Piece(PieceKind.CODE, _code(aligned(rows)), quoted=self.quoted, rows=rows)
                case "table_close":
                    in_table = False
                case "inline" if in_table:
                    pass
                case "inline":
                    yield self._block(tuple(self._spans(token)))
                case "fence" | "code_block":
                    yield from self._bare_item()
                    yield Piece(
                        PieceKind.CODE,
                        _code(token.content.rstrip("\n")),
                        len(self.lists),
                        "",
                        token.info.strip(),
                        self.quoted,
                    )
                case "list_item_close":
                    yield from self._bare_item()
                case "hr":
                    yield Piece(PieceKind.RULE, quoted=self.quoted)
                case _:
                    self._container(token)

    def _container(self, token: Token) -> None:
        """Opens or closes a quote or list around the next block; other tokens pass by."""
        match token.type:
            case "blockquote_open" | "blockquote_close":
                self.quoted += token.nesting
            case "bullet_list_open":
                self.lists.append(None)
            case "ordered_list_open":
                self.lists.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self.lists.pop()
            case "list_item_open":
                self.marker = self._next_marker()
            case "heading_open":
                self.heading = int(token.tag[1:])
            case "heading_close":
                self.heading = 0
            case _:
                pass

    def _bare_item(self) -> Iterator[Piece]:
        """Yields the marker of an item that begins without text."""
        if self.marker:
            yield self._block(())

    def _next_marker(self) -> str:
        number = self.lists[-1]
        if number is None:
            return "•"
        self.lists[-1] = number + 1
        return f"{number}."

    def _block(self, spans: tuple[TextSpan, ...]) -> Piece:
        marker, self.marker = self.marker, ""
        if self.heading:
            return Piece(PieceKind.HEADING, spans, self.heading, marker, "", self.quoted)
        if self.lists:
            return Piece(PieceKind.ITEM, spans, len(self.lists) - 1, marker, "", self.quoted)
        return Piece(PieceKind.PARAGRAPH, spans, quoted=self.quoted)

    def _spans(self, inline: Token) -> Iterator[TextSpan]:
        style = TextSpan("")
        link: tuple[str, list[TextSpan]] | None = None
        for token in inline.children or ():
            fresh: list[TextSpan] = []
            match token.type:
                case "strong_open" | "strong_close":
                    style = replace(style, bold=token.nesting > 0)
                case "em_open" | "em_close":
                    style = replace(style, italic=token.nesting > 0)
                case "s_open" | "s_close":
                    style = replace(style, strike=token.nesting > 0)
                case "link_open":
                    link = (str(token.attrGet("href") or ""), [])
                case "link_close" if link is not None:
                    (href, label), link = link, None
                    fresh = link_spans(href, label, self.hosts)
                case "softbreak" | "hardbreak":
                    fresh = [replace(style, text="\n")]
                case "code_inline":
                    fresh = [TextSpan(token.content, code=True)]
                case "image":
                    alt = token.content
                    source = str(token.attrGet("src") or "")
                    fresh = [
                        replace(style, text=f"[image: {alt or 'without a description'}]"),
                        *target_spans(source),
                    ]
                case _ if link is None:
                    fresh = list(bare_links(replace(style, text=token.content), self.hosts))
                case _:
                    fresh = [replace(style, text=token.content)]
            fresh = [span for span in fresh if span.text]
            if link is not None:
                link[1].extend(fresh)
            else:
                yield from fresh


def _code(text: str) -> tuple[TextSpan, ...]:
    return (TextSpan(text, code=True),) if text else ()


def _cell(text: str, hosts: Collection[str]) -> str:
    """Returns a cell's text; a link becomes its label, with its address if the label does not name
    it.
    """

    def render(link: re.Match[str]) -> str:
        return "".join(span.text for span in link_spans(link[2], [TextSpan(link[1])], hosts))

    return _LINK.sub(render, text.strip().replace("\\|", "|"))


def _rows(lines: list[str], hosts: Collection[str]) -> tuple[tuple[str, ...], ...]:
    rows = [
        tuple(_cell(cell, hosts) for cell in re.split(r"(?<!\\)\|", line.strip(" \t>").strip("|")))
        for line in lines
    ]
    del rows[1:2]  # the line of dashes
    return tuple(rows)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return a table as aligned text with a line below its heading, every cell of it: chats that
    know no tables show it as code.
    """
    columns = max((len(row) for row in rows), default=0)
    widest = _WIDEST if columns <= _PADDED else 0
    widths = [
        min(max((len(row[c]) for row in rows if c < len(row)), default=0), widest)
        for c in range(columns)
    ]
    lines = [
        " │ ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]
    return "\n".join([*lines[:1], "─┼─".join("─" * width for width in widths), *lines[1:]])
