"""Markdown of models and strangers as typed pieces, from which each chat builds its own markup.

Ready-made converters pass mentions, links with a lying label and control characters on. Here
nothing of the source survives as markup: a piece holds plain text with flags, a link only where it
is https, on a known host and labelled honestly. What a renderer does not put into markup itself
cannot become any.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.material import escaping

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

HOSTS = frozenset({"github.com", "gitlab.com"})
"""Hosts that a text of a model may link to; a link elsewhere is shown as its label and its host."""

_DEEPEST = 100  # nesting; deeper text is shown as it is
_LINES, _MARKS, _MOST_MARKS = 400, "*_~`[]<&\\|!", 1_500
"""A text of more lines or marks is none that somebody wrote to be read, and is shown as it is: to
parse a line takes 25 microseconds and a mark 10, and a post is laid out between two heartbeats.
"""
_COLUMNS = 30  # of a table; a wider one is shown as it is
_LINK = re.compile(
    r"\[(?P<label>[^\[\]]{0,1000}+)\]\(\s*+"
    r"(?:<(?P<bracketed>[^<>\n]{0,2000}+)>|(?P<bare>(?:[^\s()<>]|\([^\s()<>]{0,300}+\)){0,2000}+))"
    r"(?:\s++(?:\"[^\"]{0,300}+\"|'[^']{0,300}+'|\([^()]{0,300}+\)))?+\s*+\)"
)
_DASHES = re.compile(r":?-+:?")
_BARE = re.compile(r"https://[\w.-]+/[^\s<>|\"'`\\^{}]*[\w/#=&-]")
_LOOKS_LIKE_URL = re.compile(r"://|\bwww\.|\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b", re.IGNORECASE)
_SAFE_URL = re.compile(r"[!#$%&'()*+,\-./:;=?@\w~\[\]]+", re.ASCII)


class Kind(StrEnum):
    PARAGRAPH = "paragraph"
    HEADING = "heading"  # ``level`` 1 to 6
    # of a list; ``level`` is its depth from 0, ``marker`` "•" or "3.", empty where an item goes on
    ITEM = "item"
    CODE = "code"  # one span or, empty, none; ``info`` what stood behind the fence: its language
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Span:
    """Plain text with flags.

    ``url`` is only ever an https link to a known host. Code holds no other flag.
    """

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """One block. ``quoted`` counts the quotes around it."""

    kind: Kind
    spans: tuple[Span, ...] = ()
    level: int = 0
    marker: str = ""
    info: str = ""
    quoted: int = 0

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)

    def lead(self, indent: str) -> str:
        """What stands before the text of an item: ``indent`` for each level, and its marker."""
        if self.kind is not Kind.ITEM:
            return ""
        return indent * self.level + (f"{self.marker} " if self.marker else "")


def pieces(markdown: str, hosts: Collection[str] = HOSTS) -> list[Piece]:
    """The blocks of ``markdown`` in order.

    HTML, images, reference links and tables become text; nothing is dropped.
    """
    source = visible(markdown)
    if source.count("\n") > _LINES or sum(map(source.count, _MARKS)) > _MOST_MARKS:
        return [Piece(Kind.PARAGRAPH, (Span(source.strip()),))]
    tokens = _parser().parse(source)
    if any(token.level >= _DEEPEST - 2 for token in tokens):
        return [Piece(Kind.PARAGRAPH, (Span(source.strip()),))]
    return list(_Reader(tokens, source.split("\n"), hosts).blocks())


def plain(blocks: Sequence[Piece]) -> str:
    """The text that a reader sees, without any markup: for notifications, screen readers and
    searches.
    """
    return "\n".join(
        "---" if block.kind is Kind.RULE else block.lead("  ") + block.text for block in blocks
    )


def visible(text: str) -> str:
    """``text`` with every unseen character spelled out and all kinds of line ends as line feeds."""
    return escaping.show_hidden(re.sub("\r\n?|[\u2028\u2029]", "\n", text))


def literal(text: str) -> str:
    """Markdown that shows ``text`` as it is: for foreign words inside a sentence of our own."""
    return re.sub(r"([\\`*_~\[\]<>&#|!()+\-.=:])", r"\\\1", visible(text)).replace("\n", " ")


def safe_url(url: str, hosts: Collection[str] = HOSTS) -> str:
    """``url`` if it is https, on one of ``hosts``, without user, port or odd characters; else
    nothing.
    """
    if not _SAFE_URL.fullmatch(url):
        return ""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    plain_host = (
        parts.scheme == "https"
        and parts.hostname in hosts
        and port is None
        and "@" not in parts.netloc
    )
    return url if plain_host else ""


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    class Parser(MarkdownIt):
        def validateLink(self, url: str) -> bool:  # noqa: N802 (the library's name)
            return True  # every link is judged here, where the label is known

    parser = Parser("commonmark", {"html": False, "maxNesting": _DEEPEST})
    parser.enable(["table", "strikethrough"]).disable(["reference", "html_block", "html_inline"])
    parser.inline.ruler.at("link", _link_rule)
    parser.inline.ruler.at("image", _image_rule)
    parser.block.ruler.at("table", _table_rule, {"alt": ["paragraph", "reference"]})
    return parser


def _link_rule(state: StateInline, silent: bool) -> bool:
    """``[label](address)`` without brackets in brackets: the library's own rule looks for the end
    of each of them anew.
    """
    found = _LINK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("link_open", "a", 1).attrs = {"href": _address(found)}
        end, state.pos, state.posMax = state.posMax, found.start("label"), found.end("label")
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        state.posMax = end
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _image_rule(state: StateInline, silent: bool) -> bool:
    """``![text](address)``, as strictly."""
    found = _LINK.match(state.src, state.pos + 1, state.posMax)
    if found is None or state.src[state.pos] != "!":
        return False
    if not silent:
        token = state.push("image", "img", 0)
        token.attrs, token.content = {"src": _address(found)}, found["label"]
    state.pos = found.end()
    return True


def _address(link: re.Match[str]) -> str:
    from markdown_it.common.utils import unescapeAll

    return unescapeAll(link["bracketed"] or link["bare"] or "")


def _table_rule(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """A table as the lines that it takes; nobody needs its cells, which can be many times what was
    written.
    """
    if first + 2 > end or state.is_code_block(first) or state.is_code_block(first + 1):
        return False
    head, dashes = _cells(state, first), _cells(state, first + 1)
    if len(head) != len(dashes) or not all(map(_DASHES.fullmatch, dashes)):
        return False
    if "|" not in _line(state, first) + _line(state, first + 1):
        return False
    if silent:
        return True
    last = first + 2
    while last < end and state.sCount[last] >= state.blkIndent and "|" in _line(state, last):
        last += 1
    state.push("table_open", "table", 1).map = [first, last]
    state.push("table_close", "table", -1)
    state.line = last
    return True


def _cells(state: StateBlock, line: int) -> list[str]:
    return [cell.strip() for cell in _line(state, line).strip().strip("|").split("|")]


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


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
                    yield Piece(
                        Kind.CODE,
                        _code(_table(self.lines[token.map[0] : token.map[1]])),
                        quoted=self.quoted,
                    )
                case "table_close":
                    in_table = False
                case "inline" if in_table:
                    pass
                case "inline":
                    yield self._block(tuple(self._spans(token)))
                case "fence" | "code_block":
                    yield from self._bare_item()
                    yield Piece(
                        Kind.CODE,
                        _code(token.content.rstrip("\n")),
                        len(self.lists),
                        "",
                        token.info.strip(),
                        self.quoted,
                    )
                case "list_item_close":
                    yield from self._bare_item()
                case "hr":
                    yield Piece(Kind.RULE, quoted=self.quoted)
                case _:
                    self._container(token)

    def _container(self, token: Token) -> None:
        """Keeps what the next block stands in; tokens that say nothing of that (rows, paragraphs)
        pass by.
        """
        match token.type:
            case "blockquote_open" | "blockquote_close":
                self.quoted += token.nesting
            case "bullet_list_open":
                self.lists.append(None)
            case "ordered_list_open":
                self.lists.append(int(1 if (start := token.attrGet("start")) is None else start))
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
        """The marker of an item that begins with no text of its own."""
        if self.marker:
            yield self._block(())

    def _next_marker(self) -> str:
        number = self.lists[-1]
        if number is None:
            return "•"
        self.lists[-1] = number + 1
        return f"{number}."

    def _block(self, spans: tuple[Span, ...]) -> Piece:
        marker, self.marker = self.marker, ""
        if self.heading:
            return Piece(Kind.HEADING, spans, self.heading, marker, "", self.quoted)
        if self.lists:
            return Piece(Kind.ITEM, spans, len(self.lists) - 1, marker, "", self.quoted)
        return Piece(Kind.PARAGRAPH, spans, quoted=self.quoted)

    def _spans(self, inline: Token) -> Iterator[Span]:
        style = Span("")
        link: tuple[str, list[Span]] | None = None
        for token in inline.children or ():
            fresh: list[Span] = []
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
                    fresh = self._link(href, label)
                case "softbreak" | "hardbreak":
                    fresh = [replace(style, text="\n")]
                case "code_inline":
                    fresh = [Span(token.content, code=True)]
                case "image":
                    alt = token.content
                    source = str(token.attrGet("src") or "")
                    fresh = [
                        replace(style, text=f"[image: {alt or 'without a description'}]"),
                        *self._where(source),
                    ]
                case _ if link is None:
                    fresh = list(self._bare(replace(style, text=token.content)))
                case _:
                    fresh = [replace(style, text=token.content)]
            fresh = [span for span in fresh if span.text]
            if link is not None:
                link[1].extend(fresh)
            else:
                yield from fresh

    def _link(self, href: str, label: list[Span]) -> list[Span]:
        """The label as a link, or the label and where it would have led."""
        text = "".join(span.text for span in label)
        url = safe_url(href, self.hosts)
        honest = text == url or not _LOOKS_LIKE_URL.search(unicodedata.normalize("NFKC", text))
        if url and text.strip() and honest:
            return [replace(span, url=url) for span in label]
        return [*label, *self._where(href)]

    def _where(self, href: str) -> list[Span]:
        """Where a link would have led, as inert code: its host, or what it is instead of one."""
        try:
            parts = urlsplit(href)
            where = parts.hostname or (f"{parts.scheme}: link" if parts.scheme else href)
        except ValueError:
            where = href
        if not where:
            return []
        return [Span(" ("), Span(visible(where)[:200], code=True), Span(")")]

    def _bare(self, span: Span) -> Iterator[Span]:
        """``span`` with bare addresses on known hosts made links."""
        at = 0
        for match in _BARE.finditer(span.text):
            if url := safe_url(match.group(), self.hosts):
                yield replace(span, text=span.text[at : match.start()])
                yield replace(span, text=url, url=url)
                at = match.end()
        yield replace(span, text=span.text[at:])


def _code(text: str) -> tuple[Span, ...]:
    return (Span(text, code=True),) if text else ()


def _table(lines: list[str]) -> str:
    """The rows of a table as aligned text, every cell of them: chats that know no tables show them
    as code.
    """
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip(" \t>").strip("|"))]
        for line in lines
    ]
    del rows[1:2]  # the line of dashes
    columns = max((len(row) for row in rows), default=0)
    if columns > _COLUMNS:
        return "\n".join(lines)
    widths = [
        min(max((len(row[c]) for row in rows if c < len(row)), default=0), 40)
        for c in range(columns)
    ]
    return "\n".join(
        " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    )
