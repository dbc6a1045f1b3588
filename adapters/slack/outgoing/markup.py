"""Markdown pieces as Slack rich text: structured elements, so that no character of a foreign text
is ever read as markup.

Slack's own mrkdwn has no escape for ``*``, ``_`` or backticks and reads an escaped ``>`` as a
quote, so nothing foreign is put into it. What has to be mrkdwn (fallback texts, answers to a
response URL) is plain text with ``& < >`` escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from adapters.text.foreign import visible
from adapters.text.links import YOUR_TIME
from adapters.text.pieces import Piece, PieceKind, TextSpan
from core.languages import say

Json = dict[str, Any]

AS_WRITTEN: Json = {"parse": "none", "link_names": False}
"""Arguments of every message, without which Slack searches an edited one for ``@name`` and
``#channel``.
"""

_MENTION = re.compile(
    r"<(?=!(?:channel|here|everyone|group|subteam|date)|@[A-Z]|#[A-Z])", re.IGNORECASE
)
_JOINER = "\u2060"


def escape(text: str) -> str:
    """Returns ``text`` for a mrkdwn or ``text`` member, in which nothing becomes a mention, a link
    or an entity.
    """
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def defuse(text: str) -> str:
    """Returns ``text`` for a rich or plain text element, which never becomes a mention; a joiner in
    it also protects readers that take it for mrkdwn.
    """
    return _MENTION.sub("<" + _JOINER, visible(text))


def run(text: str, **style: bool) -> Json:
    """Returns one text element."""
    element: Json = {"type": "text", "text": defuse(text)}
    if style:
        element["style"] = style
    return element


def section(*elements: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(elements)}


def block(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": list(elements)}


def render(blocks: Sequence[Piece]) -> list[Json]:
    """Returns the elements of one rich text block for ``blocks``.

    Ordered lists keep their own numbers, since Slack would count from 1 again.
    """
    out: list[Json] = []
    for piece in blocks:
        if piece.kind is PieceKind.CODE:
            text = piece.text or " "
            out.append(
                {
                    "type": "rich_text_preformatted",
                    "elements": [{"type": "text", "text": defuse(text)}],
                }
            )
        elif piece.kind is PieceKind.ITEM and piece.marker == "•" and not piece.quoted:
            _into_list(out, piece)
        else:
            _into_text(out, piece)
    return out


def _into_list(out: list[Json], piece: Piece) -> None:
    indent = min(piece.level, 8)
    item = section(*(spans(piece.spans) or [run(" ")]))
    if out and out[-1]["type"] == "rich_text_list" and out[-1]["indent"] == indent:
        out[-1]["elements"].append(item)
    else:
        out.append(
            {"type": "rich_text_list", "style": "bullet", "indent": indent, "elements": [item]}
        )


def _into_text(out: list[Json], piece: Piece) -> None:
    """Appends ``piece`` to the text or quote before it, a blank line between paragraphs, a plain
    one between items.
    """
    kind = "rich_text_section"
    if piece.quoted:
        kind = "rich_text_quote"
    elements = spans(piece.spans, bold=piece.kind is PieceKind.HEADING)
    if piece.kind is PieceKind.RULE:
        elements = [run("———")]
    if lead := piece.lead("    "):
        elements = [run(lead), *elements]
    if not elements:
        return
    if out and out[-1]["type"] == kind:
        out[-1]["elements"] += [run("\n" if piece.kind is PieceKind.ITEM else "\n\n"), *elements]
    else:
        out.append({"type": kind, "elements": elements})


def spans(typed: Iterable[TextSpan], *, bold: bool = False) -> list[Json]:
    """Returns one element for each span, a link if it has an address."""
    out = []
    for span in typed:
        style = {
            "bold": span.bold or bold,
            "italic": span.italic,
            "strike": span.strike,
            "code": span.code,
        }
        element = run(span.text, **{name: True for name, on in style.items() if on})
        if span.url:
            element |= {"type": "link", "url": span.url}
        elif span.at:
            moment = {"timestamp": span.at, "format": "{date_short} {time}"}
            out.append({"type": "date", **moment, "fallback": element["text"]})
            element = run(f" {say(YOUR_TIME)}")
        out.append(element)
    return out
