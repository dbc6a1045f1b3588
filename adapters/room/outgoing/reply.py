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
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor, matches
from core.application.commands.options import WrongOption
from core.application.desk import DeskAnswer
from core.debate.errors import BadInput
from core.languages import msgid, say_error

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
    request: web.Request,
    visitor: Visitor,
    name: str,
    values: Mapping[str, Any],
    *,
    here: str = "",
    wrong: BadInput | None = None,
    notice: DeskAnswer | None = None,
    status: int = 200,
) -> web.Response:
    """Returns the answer that shows a page; ``here`` is its entry in the menu.

    At its top is what was ``wrong`` with a form, unless that is shown at its field, another
    ``notice``, or the result of the form that this browser sent last.
    """
    if wrong is not None:
        status = 400
        if not isinstance(wrong, WrongOption):
            notice = DeskAnswer(say_error(wrong), ok=False)
    text = rendered(request, visitor, name, values, here=here, notice=notice)
    answer = web.Response(text=text, status=status, content_type="text/html")
    answer.headers["Cache-Control"] = "no-store"
    answer.enable_compression()
    return end_notice(request, visitor, answer)


def rendered(
    request: web.Request,
    visitor: Visitor,
    name: str,
    values: Mapping[str, Any],
    *,
    here: str = "",
    notice: DeskAnswer | None = None,
) -> str:
    """Returns the text of a page."""
    frame = {"visitor": Frame(visitor), "notice": notice or notice_of(request, visitor)}
    return page(name, {**frame, "here": here or request.path, **values})


def download(text: str, name: str, media: str) -> web.Response:
    """Sends a text as a file to keep."""
    return web.Response(
        body=text.encode(),
        content_type=media,
        charset="utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


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


def see_other(location: str, visitor: Visitor, notice: DeskAnswer | None = None) -> web.Response:
    """Redirects the browser after a form; the next page shows ``notice``."""
    answer = web.Response(status=303, headers={"Location": location})
    if notice is not None:
        text = json.dumps([notice.text[:1500], notice.ok]).encode()
        value = base64.urlsafe_b64encode(text).decode()
        sealed = f"{value}.{visitor.signed(value)}"
        set_cookie(answer, _NOTICE, sealed, seconds=60, samesite="Strict")
    return answer


def notice_of(request: web.Request, visitor: Visitor) -> DeskAnswer | None:
    """Returns the result of the form that this browser has just sent, if it has."""
    value, _, seal = request.cookies.get(_NOTICE, "").rpartition(".")
    if not value or not matches(seal, visitor.signed(value)):
        return None
    try:
        text, ok = json.loads(base64.urlsafe_b64decode(value))
    except (ValueError, binascii.Error):
        return None
    return DeskAnswer(str(text), ok=bool(ok))


def end_notice(request: web.Request, visitor: Visitor, answer: web.Response) -> web.Response:
    """Takes the notice out of the browser once a page shows it."""
    if notice_of(request, visitor) is not None:
        answer.del_cookie(_NOTICE, path="/")
    return answer


def secured(
    request: web.Request, answer: web.StreamResponse, visitor: Visitor, settings: RoomSettings
) -> None:
    """Sets the headers, and the cookie if the browser has none yet. Pages of debates are not
    cached, and over TLS cookies are ``Secure``.
    """
    if visitor.fresh:
        set_key(request, answer, visitor.key, settings)
    answer.headers.setdefault("Cache-Control", "no-store")
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)
    if settings.secure:
        answer.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        for cookie in answer.cookies.values():
            cookie["secure"] = True


def set_key(
    request: web.Request, answer: web.StreamResponse, key: str, settings: RoomSettings
) -> None:
    """Sets the cookie with the browser's secret."""
    set_cookie(answer, cookie_name(request, settings), key, seconds=30 * 86400)


def set_cookie(
    answer: web.StreamResponse,
    name: str,
    value: str,
    *,
    seconds: int | None = None,
    path: str = "/",
    samesite: str = "Lax",
) -> None:
    """Sets a cookie that no script reads; ``secured`` makes it ``Secure`` over TLS."""
    answer.set_cookie(name, value, max_age=seconds, path=path, httponly=True, samesite=samesite)
