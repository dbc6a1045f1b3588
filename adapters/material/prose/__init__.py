"""Reduces a description or an issue to the text that its readers see: without comments, hidden
elements, titles of links, definitions, texts of images and characters that have no shape.

Text that only machines read can smuggle orders past people. If it is unknown whether a reader
would see something (code in a fence may hold a comment), it is left out too: that costs a
reader little.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from adapters.material.prose.html_text import hides
from core.debate.material.escaping import without_zero_width

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_COMMENT = re.compile(r"<!--(?:>|->|.*?(?:--!?>|\Z))", re.DOTALL)
_NOT_SHOWN = frozenset({"script", "style", "template", "noscript", "iframe", "title", "textarea"})
_IMAGE = re.compile(
    r"!\[[^\[\]\n]*+(?:\[[^\[\]\n]*+\][^\[\]\n]*+)*\](?:\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*\)|\[[^\[\]\n]*+\])?"
)
_LINK_TITLE = re.compile(r"\](\([^\s()]++)\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\))\s*+\)")
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*+)"
    r"(?P<attributes>(?:\s++[A-Za-z_:][\w:.-]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+)"
    r"\s*+/?>"
)
_AN_IMAGE = "[image]"
_CONTAINERS = frozenset(
    {"blockquote_open", "bullet_list_open", "ordered_list_open", "list_item_open"}
)


def seen_by_readers(markdown: str) -> tuple[str, int]:
    """Returns the text as a reader sees it, and how many comments were in it."""
    text, comments = _COMMENT.subn("", markdown.replace("\r\n", "\n"))
    text = _without_definitions(_without_hidden_elements(text))
    text = _LINK_TITLE.sub(r"]\1)", _IMAGE.sub(_AN_IMAGE, text))
    return without_zero_width(text), comments


def without_comments(text: str) -> tuple[str, int]:
    """Returns the text without HTML comments, every line with its number, and how many comments
    there were.
    """
    return _COMMENT.subn(lambda match: "\n" * match[0].count("\n"), text)


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
            elif not closing and (name in _NOT_SHOWN or hides(tag["attributes"])):
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

    return MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).disable(["inline"])
