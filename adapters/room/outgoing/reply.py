"""Answers to a browser, each with the headers under which nothing foreign can run, load or be
framed.
"""

from __future__ import annotations

import base64
import binascii
import json
import secrets
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

from aiohttp import web

from adapters.room.outgoing.layout import page
from adapters.room.settings import Notice, RoomSettings
from adapters.room.visitors import Visitor, matches
from core.languages import msgid

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types room"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
PAGES = (
    ("/", msgid("Debates")),
    ("/new", msgid("Start")),
    ("/schedules", msgid("Schedules")),
    ("/templates", msgid("Templates")),
    ("/leaderboard", msgid("Leaderboard")),
    ("/costs", msgid("Costs")),
)
"""The pages that the head of every page links to."""
_NOTICE = "notice"


def cookie_name(request: web.Request, settings: RoomSettings) -> str:
    """Returns the name of the browser's cookie on this server.

    ``__Host-`` makes a browser refuse the cookie from any other host over TLS. A browser keeps one
    jar for all ports of a machine, so the name tells two bots on it apart.
    """
    if settings.secure:
        return "__Host-room"
    port = request.host.rpartition(":")[2]
    return f"room-{port if port.isascii() and port.isdigit() else 80}"


def link_cookie(debate: str) -> str:
    """Returns the name of the cookie that keeps the key of a link to one debate."""
    return f"link-{debate}"


def render_page(
    name: str, visitor: Visitor, here: str, values: Mapping[str, Any], status: int = 200
) -> web.Response:
    """Returns the answer that shows a page. ``here`` is its address without its query."""
    text = rendered(name, visitor, here, values)
    answer = web.Response(text=text, status=status, content_type="text/html")
    answer.headers["Cache-Control"] = "no-store"
    answer.enable_compression()
    return answer


def rendered(name: str, visitor: Visitor, here: str, values: Mapping[str, Any]) -> str:
    """Returns the text of a page."""
    return page(name, {"visitor": Frame(visitor), "here": here, "notice": None} | dict(values))


def streamed(request: web.Request, pieces: AsyncIterator[str]) -> web.Response:
    """Sends a page while it is made, so that its first piece does not wait for the others."""
    answer = web.Response(content_type="text/html", charset="utf-8")
    answer.headers["Cache-Control"] = "no-store"
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        answer.headers["Content-Encoding"] = "gzip"
        answer.body = _packed(pieces)
    else:
        answer.body = _encoded(pieces)
    return answer


async def _encoded(pieces: AsyncIterator[str]) -> AsyncIterator[bytes]:
    async for piece in pieces:
        yield piece.encode()


async def _packed(pieces: AsyncIterator[str]) -> AsyncIterator[bytes]:
    """Compresses the pieces one by one, because aiohttp's own compression would hold the first
    piece back until there is more.
    """
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    how = zlib.Z_SYNC_FLUSH
    async for piece in pieces:
        if ready := packer.compress(piece.encode()) + (packer.flush(how) if how else b""):
            yield ready
        how = 0
    yield packer.flush()


class Frame:
    """The values about the visitor that the head of a page shows."""

    pages = PAGES

    def __init__(self, visitor: Visitor) -> None:
        self.token = visitor.token
        self.once = secrets.token_hex(8)
        self.signed_in = visitor.signed_in
        self.name = visitor.name
        self.local = visitor.local
        self.binds = visitor.local or visitor.admin


def see_other(location: str, visitor: Visitor, notice: Notice | None = None) -> web.Response:
    """Redirects the browser after a form; the next page shows ``notice``."""
    answer = web.Response(status=303, headers={"Location": location})
    if notice is not None:
        text = json.dumps([notice.text[:1500], notice.ok]).encode()
        value = base64.urlsafe_b64encode(text).decode()
        sealed = f"{value}.{visitor.signed(value)}"
        answer.set_cookie(_NOTICE, sealed, max_age=60, httponly=True, samesite="Strict", path="/")
    return answer


def notice_of(request: web.Request, visitor: Visitor) -> Notice | None:
    """Returns the result of the form that this browser has just sent, if it has."""
    value, _, seal = request.cookies.get(_NOTICE, "").rpartition(".")
    if not value or not matches(seal, visitor.signed(value)):
        return None
    try:
        text, ok = json.loads(base64.urlsafe_b64decode(value))
    except (ValueError, binascii.Error):
        return None
    return Notice(str(text), bool(ok))


def end_notice(answer: web.Response, values: Mapping[str, Any]) -> web.Response:
    """Takes the notice out of the browser once a page shows it."""
    if values.get("notice") is not None:
        answer.del_cookie(_NOTICE, path="/")
    return answer


def secured(
    request: web.Request, answer: web.StreamResponse, visitor: Visitor, settings: RoomSettings
) -> None:
    """Sets the headers, and the cookie if the browser has none yet. Pages of debates are not
    cached, and over TLS cookies are ``Secure``.
    """
    answer.headers.setdefault("Cache-Control", "no-store")
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)
    if settings.secure:
        answer.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        for cookie in answer.cookies.values():
            cookie["secure"] = True
    if visitor.fresh:
        set_key(request, answer, visitor.key, settings)


def set_key(
    request: web.Request, answer: web.StreamResponse, key: str, settings: RoomSettings
) -> None:
    """Sets the cookie with the browser's secret."""
    answer.set_cookie(
        cookie_name(request, settings),
        key,
        max_age=30 * 86400,
        httponly=True,
        secure=settings.secure,
        samesite="Lax",
        path="/",
    )
