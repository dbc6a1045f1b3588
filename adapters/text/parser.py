"""Rules for the Markdown parser that replace the library's rules of more than linear time."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

DEEPEST = 100  # nesting; deeper text is shown as it is
_LINK = re.compile(
    r"\[(?P<label>[^\[\]]{0,1000}+)\]\(\s*+"
    r"(?:<(?P<bracketed>[^<>\n]{0,2000}+)>|(?=(?P<bare>(?:[^\s()<>]|\([^\s()<>]{0,300}+\)){0,2000}))(?P=bare))"
    r"(?:\s++(?:\"[^\"]{0,300}+\"|'[^']{0,300}+'|\([^()]{0,300}+\)))?\s*+\)"
)
_AHEAD, _FREE = 3, 60
"""The most lines to look at for quotations: a number for each line of the text, and a constant."""
_DASHES = re.compile(r":?-+:?")


@cache
def markdown_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    class Parser(MarkdownIt):
        def validateLink(self, url: str) -> bool:  # noqa: N802 (the library's name)
            return True  # every link is judged here, where the label is known

    parser = Parser("commonmark", {"html": False, "maxNesting": DEEPEST})
    parser.enable(["strikethrough"]).disable(["reference", "html_block", "html_inline"])
    parser.inline.ruler.at("link", _link_rule)
    parser.inline.ruler.at("image", _image_rule)
    return _with_block_rules(parser)


@cache
def block_parser() -> MarkdownIt:
    """Returns a parser that looks only at blocks."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    return _with_block_rules(parser.disable(["inline", "reference"]))


def _with_block_rules(parser: MarkdownIt) -> MarkdownIt:
    """Has the parser find tables and keep their lines, and read quotations in linear time."""
    parser.enable("table")
    parser.block.ruler.at("table", _table_rule, {"alt": ["paragraph", "reference"]})
    others = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("blockquote", _quote_rule, {"alt": others})
    return parser


def _quote_rule(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Returns a rule for quotations that stops once too many lines were looked at: the library's
    rule looks at every line up to the next empty one again for each quotation.

    After that ``> `` stays as it is.
    """
    from markdown_it.rules_block import blockquote

    begins = state.bMarks[first] + state.tShift[first]
    if not silent and state.src[begins : begins + 1] == ">":
        spent = state.env.get("quoted", 0)
        if spent > _AHEAD * state.lineMax + _FREE:
            return False
        following = first
        while following < end and not state.isEmpty(following):
            following += 1
        state.env["quoted"] = spent + following - first
    return blockquote(state, first, end, silent)


def _link_rule(state: StateInline, silent: bool) -> bool:
    """Returns a rule for ``[label](address)`` without brackets in brackets: the library's own looks
    for the end of each of them anew.
    """
    match = _LINK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push("link_open", "a", 1).attrs = {"href": _address(match)}
        end, state.pos, state.posMax = state.posMax, match.start("label"), match.end("label")
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        state.posMax = end
        state.push("link_close", "a", -1)
    state.pos = match.end()
    return True


def _image_rule(state: StateInline, silent: bool) -> bool:
    """Returns a rule for ``![text](address)``, as strict as that for links."""
    match = _LINK.match(state.src, state.pos + 1, state.posMax)
    if match is None or state.src[state.pos] != "!":
        return False
    if not silent:
        token = state.push("image", "img", 0)
        token.attrs, token.content = {"src": _address(match)}, match["label"]
    state.pos = match.end()
    return True


def _address(link: re.Match[str]) -> str:
    from markdown_it.common.utils import unescapeAll

    return unescapeAll(link["bracketed"] or link["bare"] or "")


def _table_rule(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Returns a rule for tables that keeps their lines: their cells can be many times as long as
    the source.
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
