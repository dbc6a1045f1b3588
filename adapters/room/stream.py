"""Server-sent events as bytes: made once, framed once, sent to many."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiohttp import web

from adapters.room.outgoing.layout import TOKEN
from adapters.room.outgoing.parts import PagePart, changed
from adapters.routes.reading import query_of

AGAIN = b"retry: 1000\n\n"
"""Milliseconds after which a browser comes again when the connection is lost."""
PING = b":\n\n"


def parts_event(
    count: int, before: Mapping[str, PagePart], now: Mapping[str, PagePart], say: str
) -> bytes:
    """Returns the event that updates a page; ``count`` is the number of events that it then
    shows.
    """
    sent = [
        [part.id, part.html.replace(TOKEN, ""), part.parent, part.element, part.after]
        + ([part.whole.replace(TOKEN, "")] if part.whole and part.id not in before else [])
        for part in changed(before, now)
    ]
    return b"id: %d\n" % count + event("parts", {"parts": sent, "say": say})


def words_event(spoken: Mapping[str, tuple[int, str]]) -> bytes:
    """Returns the event with words that are being spoken: by turn, the position in a browser's
    units at which they continue, and the text.
    """
    return event("words", spoken)


def note_event(text: str) -> bytes:
    """Returns the event with the reason why all debates wait; "" for none."""
    return event("note", {"text": text})


def event(kind: str, data: object) -> bytes:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"event: {kind}\ndata: {text}\n\n".encode("utf-8", "replace")


DONE = event("done", {})
"""The event that ends the stream."""


def framed(text: bytes) -> bytes:
    """Returns ``text`` as one chunk of HTTP/1.1."""
    return b"%x\r\n%b\r\n" % (len(text), text)


def position(request: web.Request, count: int) -> int:
    """Returns the number of events that the browser's page shows, as the browser says; at most
    ``count``.
    """
    text = request.headers.get("Last-Event-ID") or query_of(request).get("after", "")
    if text.isascii() and text.isdigit() and len(text) < 9:
        return min(int(text), count)
    return 0


def units(text: str) -> int:
    """Returns the length of ``text`` as a browser counts it."""
    if text.isascii():
        return len(text)
    return len(text) + sum(ord(c) > 0xFFFF for c in text)


def from_unit(text: str, at: int) -> str:
    """Returns the rest of ``text`` from a position that a browser has counted."""
    if text.isascii():
        return text[at:]
    return text.encode("utf-16-le", "surrogatepass")[2 * at :].decode("utf-16-le", "replace")
