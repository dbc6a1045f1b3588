"""Reduces a description or an issue to the text that its readers see: without comments, hidden
elements, titles of links, definitions, texts of images and characters that have no shape.

Text that only machines read can smuggle orders past people. If it is unknown whether a reader
would see something (a comment that never ends), it is left out too.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from adapters.material.prose.html_text import RAW, hides
from core.debate.material.escaping import without_zero_width

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_COMMENT = re.compile(r"<!--(?:>|->|.*?(?:--!?>|\Z))", re.DOTALL)
_IMAGE = re.compile(
    r"!\[[^\[\]\n]*+(?:\[[^\[\]\n]*+\][^\[\]\n]*+)*\](?:\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*\)|\[[^\[\]\n]*+\])?"
)
_LINK_TITLE = re.compile(r"\](\([^\s()]++)\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\))\s*+\)")
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*+)"
    r"(?P<attributes>(?:\s++[A-Za-z_:][\w:.-]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+)"
    r"\s*+/?>"
)
_MARK = re.compile(rf"<!--|{_TAG.pattern}|<[!?/A-Za-z][^<>]*+>|\\[\\`<]|`++")
_LINE_END = re.compile(r"\r\n?|\n")
_AN_IMAGE = "[image]"
_CONTAINERS = frozenset(
    {"blockquote_open", "bullet_list_open", "ordered_list_open", "list_item_open"}
)


def seen_by_readers(markdown: str) -> tuple[str, int]:
    """Returns the text as a reader sees it, and how many comments were in it."""
    text, comments = without_comments(markdown.replace("\r\n", "\n"))
    text = _without_definitions(_without_hidden_elements(text))
    text = _LINK_TITLE.sub(r"]\1)", _IMAGE.sub(_AN_IMAGE, text))
    return without_zero_width(text), comments


def without_comments(text: str) -> tuple[str, int]:
    """Returns Markdown without HTML comments, every line with its number, and how many comments
    there were. What looks like one in code is none.
    """
    parts: list[str] = []
    at = 0
    for start, end in _comments(text):
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end
    return "".join((*parts, text[at:])), len(parts) // 2


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each comment, in order."""
    if "<!--" not in text:
        return
    lines = [0, *(end.end() for end in _LINE_END.finditer(text)), len(text)]
    code: set[int] = set()  # numbers of lines
    ends: dict[int, int] = {}  # of the paragraph of each line
    for token in _blocks().parse(text):
        if token.map is None or token.type not in ("fence", "code_block", "inline"):
            continue
        if token.type == "inline":
            ends.update(dict.fromkeys(range(*token.map), lines[token.map[1]]))
        else:
            code.update(range(*token.map))
    ticks: dict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", text):
        ticks[len(run[0])].append(run.start())
    at = 0
    while mark := _MARK.search(text, at):
        start, at = mark.span()
        line = bisect(lines, start) - 1
        if line in code:
            at = lines[line + 1]
        elif comment := _COMMENT.match(text, start):
            at = comment.end()
            yield start, at
        elif mark[0].startswith("\\") and line not in ends:
            at = start + 1
        elif mark[0].startswith("`") and line in ends:
            same = ticks[len(mark[0])]
            closing = bisect_left(same, at)
            if closing < len(same) and same[closing] < ends[line]:
                at = same[closing] + len(mark[0])


def _without_hidden_elements(text: str) -> str:
    """Returns the text with tags without their attributes, with images as ``[image]``, and without
    hidden elements.
    """
    parts: list[str] = []
    at, hidden_by, depth = 0, "", 0
    for tag in _TAG.finditer(text):
        name, closing = tag["name"].lower(), tag["end"]
        if not hidden_by:
            parts.append(text[at : tag.start()])
            at = tag.end()
            if name == "img":
                parts.append(_AN_IMAGE)
            elif not closing and (name in RAW or hides(tag["attributes"])):
                hidden_by, depth = name, 1
            else:
                parts.append(f"<{closing}{name}>")
        elif name == hidden_by:
            depth += -1 if closing else 1
            if not depth:
                hidden_by = ""
            at = tag.end()
    return "".join((*parts, "" if hidden_by else text[at:]))


def _without_definitions(text: str) -> str:
    """Returns the text without definitions of links, which no reader sees: ``[//]: # (a note)``."""
    if "]:" not in text:
        return text
    lines = text.split("\n")
    visible: set[int] = set()
    for token in _blocks().parse(text):
        if token.map is not None and token.type not in _CONTAINERS:
            visible.update(range(*token.map))
    return "\n".join(line for n, line in enumerate(lines) if n in visible or not line.strip())


@cache
def _blocks() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).disable(["inline"])
