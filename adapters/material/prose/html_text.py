"""The words of an HTML page, one block a line, without what a reader of the page would not see.

The page is anyone's, so it is read by a scanner whose time is linear in it: every token that begins
consumes what it looked at. The parser of the standard library takes minutes for 200 kB of unclosed
tags.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape as _unescape

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9:-]*+)(?P<attributes>(?:[^>\"']++|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+)>?"
    r"|<[!?/][^>]*+>?",
    re.DOTALL,
)
_NO_CHARACTER = re.compile(r"&#(?:[0-9]{8,}+|[xX][0-9a-fA-F]{8,}+);?")
_QUOTED = re.compile(r"\"[^\"]*+\"?|'[^']*+'?")
_HIDES = re.compile(
    r"aria-hidden\s*=\s*[\"']?true|display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE
)
_HIDDEN = re.compile(r"(?:^|\s)hidden(?=[\s=/]|\Z)", re.IGNORECASE)

RAW = {  # their content is not markup, or not for readers; each with what ends it
    name: re.compile(f"</{name}", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title", "noscript", "iframe", "template")
}
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "dd", "div", "dl", "dt", "figure",
    "footer", "form", "h1", "h2", "h3",
    "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table",
    "td", "th", "tr", "ul",
})  # fmt: skip
_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
})  # fmt: skip
_SELF_ENDING = frozenset({"p", "li", "dd", "dt", "tr", "td", "th"})  # by the next of their kind
_LEADS = {"li": "- ", **{f"h{level}": "#" * level + " " for level in range(1, 7)}}


def unescape(text: str) -> str:
    """Character references as characters.

    A number of more digits than any character has is none; the library would count it out.
    """
    return _unescape(_NO_CHARACTER.sub("\ufffd", text))


def text_of(page: str) -> tuple[str, str]:
    """Returns (title, text) of a page."""
    reader = _Reader()
    at = 0
    while token := _TOKEN.search(page, at):
        reader.text(page[at : token.start()])
        at = token.end()
        name = (token["name"] or "").lower()
        if name in RAW and not token["end"]:
            ending = RAW[name].search(page, at)
            end = ending.start() if ending else len(page)
            if name == "title":
                reader.title = reader.title or " ".join(unescape(page[at:end]).split())
            at = end
        elif name:
            reader.tag(name, closing=bool(token["end"]), hides=hides(token["attributes"]))
    reader.text(page[at:])
    lines = (re.sub(r"[ \t\r\f]+", " ", line).strip() for line in "".join(reader.parts).split("\n"))
    return reader.title, re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _Reader:
    """Collects text outside hidden elements, because injected text likes to hide there."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.title = ""
        self._hidden: list[str] = []  # open elements, from the hidden one inwards
        self._names: Counter[str] = Counter()

    def text(self, raw: str) -> None:
        if not self._hidden:
            self.parts.append(unescape(raw))

    def tag(self, name: str, *, closing: bool, hides: bool) -> None:
        if self._hidden:
            self._inside(name, closing=closing)
        if closing:
            self._block(name, "")
        elif name not in _VOID and (self._hidden or hides):
            self._hidden.append(name)
            self._names[name] += 1
        else:
            self._block(name, _LEADS.get(name, ""))

    def _inside(self, name: str, *, closing: bool) -> None:
        """Ends the hidden element when its own end, the end of something around it, or the next of
        its kind is met.
        """
        if closing and self._names[name]:
            while True:
                gone = self._hidden.pop()
                self._names[gone] -= 1
                if gone == name:
                    return
        around = closing and name in _BLOCKS
        next_of_kind = not closing and name in _SELF_ENDING and self._hidden == [name]
        if around or next_of_kind:
            self._hidden.clear()
            self._names.clear()

    def _block(self, name: str, lead: str) -> None:
        if name in _BLOCKS and not self._hidden:
            self.parts.append("\n" + lead)


def hides(attributes: str) -> bool:
    """True if a tag with these attributes hides its element."""
    if not attributes:
        return False
    return bool(_HIDES.search(attributes) or _HIDDEN.search(_QUOTED.sub("", attributes)))
