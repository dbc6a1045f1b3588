"""The interface for programs, ``/api/v1``: what a person may do, by a token of theirs.

It decides nothing: a token says who asks, and the desk that every surface shares does what is
asked. What is refused is a problem document (RFC 9457) with the next step in its ``detail``.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from adapters.api.port import Bearer, Stored
from adapters.commands import Start
from adapters.commands.options import enter, options_of
from adapters.ports.desk import Caller, Desk
from adapters.routes import Field, Media, Route, Who, Work
from adapters.routes.reading import Unread, body_of, query_of
from adapters.text.documents import NoDocument, read_object
from core.errors import BadInput, DebateError, Refused

BASE = "/api/v1"
PAGE = 50
"""Debates of one page."""
_LARGEST = 1_000_000
"""Bytes of what starts a debate."""
_LONGEST_WAIT = 40.0
_LOOK = 0.5
"""Seconds between two looks for news, which any replica may have stored."""
_OPTIONS = frozenset(each.field for each in options_of(Start))
_TEXTS = ("template", "target", "text")
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

Call = Callable[[web.Request, Bearer], Awaitable[web.StreamResponse]]


class NotThere(BadInput):
    """There is no such debate for whoever asks."""


class Api:
    """The addresses; ``wait`` is the longest time in seconds that a long poll is kept open."""

    def __init__(self, desk: Desk, stored: Stored, wait: float = _LONGEST_WAIT) -> None:
        self._desk, self._stored, self._wait = desk, stored, wait

    def routes(self) -> list[Route]:
        debates, one = f"{BASE}/debates", f"{BASE}/debates/{{id}}"
        return [
            self._row("GET", debates, "read", self.listed, query=(Field("before"),)),
            self._row(
                *("POST", debates, "start", self.start),
                body=_LARGEST,
                takes=(Media.JSON,),
                work=Work.THREAD,
                stored="a debate",
            ),
            self._row("GET", one, "read", self.read),
            self._row(
                *("GET", f"{one}/wait", "read", self.wait),
                query=(Field("after", 12), Field("seconds", 4)),
            ),
        ]

    def _row(self, method: str, path: str, scope: str, call: Call, **more: Any) -> Route:
        return Route(method, path, Who.PROGRAM, self._guarded(scope, call), **more)

    def _guarded(
        self, scope: str, call: Call
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """``call`` for whoever has a token with that scope."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            try:
                bearer = await self._bearer(request)
                if bearer is None:
                    return _problem(401, "Give a token: `debate tokens add NAME` makes one.")
                if scope not in bearer.scopes:
                    return _problem(403, f"This token may not {scope}: make one with that scope.")
                return await call(request, bearer)
            except NotThere as error:
                return _problem(404, str(error))
            except Refused as error:
                return _problem(403, str(error))
            except Unread as error:
                return _problem(error.status, str(error))
            except BadInput as error:
                return _problem(400, str(error))
            except DebateError as error:
                return _problem(503, str(error))

        return guarded

    async def _bearer(self, request: web.Request) -> Bearer | None:
        kind, _, secret = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer" or not (secret.isascii() and 20 < len(secret) < 100):
            return None
        return await self._stored.bearer(secret)

    async def listed(self, request: web.Request, bearer: Bearer) -> web.Response:
        before = query_of(request).get("before", "")
        found, more = await self._stored.listed(_caller(bearer), before, PAGE)
        return _json({"debates": list(found), "next": more or None})

    async def read(self, request: web.Request, bearer: Bearer) -> web.Response:
        id = await self._found(request, bearer)
        text = await self._stored.document(id, _caller(bearer))
        return web.Response(text=text, content_type="application/json", headers=_HEADERS)

    async def wait(self, request: web.Request, bearer: Bearer) -> web.Response:
        """What happened after an event's number, as soon as there is any or nothing is to come."""
        id = await self._found(request, bearer)
        asked = query_of(request)
        after = _whole(asked, "after", 0)
        end = asyncio.get_running_loop().time() + min(self._wait, _whole(asked, "seconds", 40))
        while True:
            status, final = await self._stored.status(id)
            events = await self._stored.events(id, after)
            left = end - asyncio.get_running_loop().time()
            if events or final or left <= 0:
                break
            await asyncio.sleep(min(_LOOK, left))
        happened = [
            {"number": after + n, "kind": type(event).__name__}
            for n, event in enumerate(events, start=1)
        ]
        return _json(
            {
                "id": id,
                "status": status,
                "final": final,
                "after": after + len(events),
                "events": happened,
            }
        )

    async def start(self, request: web.Request, bearer: Bearer) -> web.Response:
        """Starts a debate once for each ``Idempotency-Key``, within the token's purse."""
        said = await asyncio.to_thread(_read, await body_of(request))
        wanted = _wanted(said)
        if not wanted.budget:
            raise BadInput("Say what it may cost at most: `budget`, in USD.")
        key = request.headers.get("Idempotency-Key", "") or secrets.token_hex(16)
        if len(key) > 100 or not key.isascii() or not key.isprintable():
            raise BadInput("An Idempotency-Key has at most 100 plain characters.")
        what = await asyncio.to_thread(repr, wanted)
        known = await self._stored.hold(bearer.id, key, what, wanted.budget)
        if known:
            return _json({"id": known, "text": "It was started before."})
        answer = await self._desk.take(wanted, bearer.caller(key))
        await self._stored.settle(bearer.id, key, answer.debate if answer.ok else "")
        if answer.priced is not None:
            return _problem(402, answer.text)
        if not answer.ok or not answer.debate:
            return _problem(400, answer.text)
        where = f"{BASE}/debates/{answer.debate}"
        return _json({"id": answer.debate, "text": answer.text}, 201, Location=where)

    async def _found(self, request: web.Request, bearer: Bearer) -> str:
        """The debate's id. Raises ``NotThere``, ``Refused``."""
        try:
            return await self._stored.debate(request.match_info["id"], _caller(bearer))
        except Refused:
            raise
        except BadInput as error:
            raise NotThere(str(error)) from None


def _caller(bearer: Bearer) -> Caller:
    return bearer.caller(secrets.token_hex(8))


def _read(raw: bytes) -> Mapping[str, Any]:
    """The object that was sent. Raises ``BadInput``."""
    try:
        return read_object(raw)
    except NoDocument:
        raise BadInput("The body is not one JSON object.") from None


def _wanted(said: Mapping[str, Any]) -> Start:
    """What is asked for. Raises ``BadInput``."""
    for name, value in said.items():
        if name not in _OPTIONS and name not in _TEXTS:
            raise BadInput(f"There is no member {name[:40]!r} here.")
        if not isinstance(value, str | int | float | bool):
            raise BadInput(f"{name!r} is a text, a number, true or false.")
    texts = {name: _safe(str(said.get(name, ""))) for name in _TEXTS}
    if not texts["template"]:
        raise BadInput("Which `template`? `debate templates` lists them.")
    options = {name: _safe(_typed(said[name])) for name in said if name in _OPTIONS}
    return enter(Start(texts["template"], texts["target"], text=texts["text"]), options)


def _typed(value: object) -> str:
    """A value as it is typed in a form."""
    if isinstance(value, bool):
        return "yes" if value else ""
    return str(value)


def _safe(text: str) -> str:
    """The text without what no database keeps: zero characters and halves of characters."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _whole(asked: Mapping[str, str], name: str, usual: int) -> int:
    text = asked.get(name, "")
    if not text:
        return usual
    if not (text.isascii() and text.isdigit()):
        raise BadInput(f"`{name}` is a whole number.")
    return int(text)


def _json(value: Mapping[str, Any], status: int = 200, **headers: str) -> web.Response:
    return web.json_response(value, status=status, headers=_HEADERS | headers)


def _problem(status: int, detail: str) -> web.Response:
    """A problem document; ``detail`` says the next step."""
    headers = dict(_HEADERS)
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    titles = {401: "No token", 402: "Asks for consent", 403: "Not allowed", 404: "Not found"}
    value = {
        "type": "about:blank",
        "title": titles.get(status, "Not possible"),
        "status": status,
        "detail": detail,
    }
    return web.json_response(
        value, status=status, headers=headers, content_type="application/problem+json"
    )
