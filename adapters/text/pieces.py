"""The pieces of parsed Markdown: blocks of plain text with flags, from which each chat builds its
own markup.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_CODE = re.compile(r"`([^`\n]+)`")


class PieceKind(StrEnum):
    PARAGRAPH = "paragraph"
    HEADING = "heading"  # ``level`` 1 to 6
    # of a list; ``level`` is its depth from 0, ``marker`` "•" or "3.", empty if an item goes on
    ITEM = "item"
    CODE = "code"  # one span or, empty, none; ``info`` what stood behind the fence: its language
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Plain text with flags.

    ``url`` is only ever an https link to a known host. Code holds no other flag. ``at`` is the
    moment that the text names, in Unix seconds, for chats that show each reader their own time.
    """

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    url: str = ""
    at: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """One block. ``quoted`` counts the quotes around it.

    ``rows`` are the cells of a table as they were written, its heading first: surfaces without
    tables show them as code.
    """

    kind: PieceKind
    spans: tuple[TextSpan, ...] = ()
    level: int = 0
    marker: str = ""
    info: str = ""
    quoted: int = 0
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)

    def lead(self, indent: str) -> str:
        """Returns the beginning of an item's first line: ``indent`` for each level, and its
        marker.
        """
        if self.kind is not PieceKind.ITEM:
            return ""
        return indent * self.level + (f"{self.marker} " if self.marker else "")


def coded(text: str) -> tuple[TextSpan, ...]:
    """Returns plain text in which backticks mark code; any other markup stays as it is written."""
    parts = _CODE.split(text)
    return tuple(TextSpan(part, code=n % 2 == 1) for n, part in enumerate(parts) if part)
