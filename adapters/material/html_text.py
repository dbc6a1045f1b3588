"""The words of an HTML page, one block a line, without what a reader of the page would not see."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "svg", "iframe", "object"})
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "td",
        "th",
        "tr",
        "ul",
    }
)
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}


def text_of(page: str) -> tuple[str, str]:
    """(title, text) of a page."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    lines = (re.sub(r"[ \t\r\f]+", " ", line).strip() for line in "".join(reader.parts).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return " ".join("".join(reader.title).split()), text


class _Reader(HTMLParser):
    """Collects text outside unseen elements. An element hidden by attribute is unseen as well: injected text likes to hide there."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self._in_title = False
        self._hidden: list[str] = []  # open elements from the outermost hidden one inwards

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title"
        if tag not in _VOID and (self._hidden or tag in _UNSEEN or _hides(dict(attrs))):
            self._hidden.append(tag)
        elif not self._hidden and tag in _BLOCKS:
            self.parts.append("\n" + _HEADINGS.get(tag, "- " if tag == "li" else ""))

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif not self._hidden and tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title and len(self.title) < 20:
            self.title.append(data)
        elif not self._hidden:
            self.parts.append(data)


def _hides(attrs: dict[str, str | None]) -> bool:
    style = (attrs.get("style") or "").replace(" ", "").lower()
    return "hidden" in attrs or attrs.get("aria-hidden") == "true" or "display:none" in style or "visibility:hidden" in style
