"""The interface for programs, ``/api/v1``: everything that a person may do, with their token.

It decides nothing: a token identifies the caller, and the desk that every surface shares does the
work (``calls``). The rows of ``operations`` define the routes and the document that describes them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from adapters.api.calls import ApiCall, ApiReply, Calls
from adapters.api.document import openapi
from adapters.api.operations import BASE, JSON, KEY, OPERATIONS, WAIT, Operation
from adapters.api.problems import MEDIA, problem, status_of
from adapters.routes import Media, Route, Who
from adapters.routes.reading import (
    RequestRefused,
    body_of,
    describe_no_token,
    names_in_query,
    query_of,
    token_of,
)
from adapters.routes.waiting import BELIEVED
from adapters.text.documents import NoDocument, read_object
from core.application.commands.actions import RouteWork
from core.application.interface import Application
from core.application.tokens import Bearer
from core.debate.errors import BadInput, DebateError

_TELLS = f"GET {BASE}/openapi.json lists the operations."
_KEYS: int = KEY.schema["maxLength"]
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
}
"""The Python types of each JSON type, as the parser returns them."""
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ApiRoutes:
    """The routes of the interface."""

    def __init__(self, application: Application) -> None:
        self._tokens, self._calls = application.tokens, Calls(application, WAIT)

    def routes(self) -> list[Route]:
        about = Route("GET", f"{BASE}/openapi.json", Who.ANYONE, _document)
        nothing = [Route("*", path, Who.ANYONE, _nothing) for path in (BASE, f"{BASE}/{{rest:.*}}")]
        return [about, *(self._row(each) for each in OPERATIONS), *nothing]

    def _row(self, row: Operation) -> Route:
        takes: tuple[Media, ...] = ()
        work = RouteWork.LOOP
        if row.body:
            takes, work = (Media.JSON,), RouteWork.THREAD
        return Route(
            *(row.method, row.address, Who.PROGRAM, self._guarded(row)),
            query=tuple(each.field for each in row.asks),
            body=row.body,
            takes=takes,
            work=work,
            stored=row.stored,
            missing=_missing,
        )

    def _guarded(self, row: Operation) -> Answer:
        """Wraps the row's call so that only tokens with its scope reach it."""
        call: Callable[[ApiCall], Awaitable[ApiReply]] = getattr(self._calls, row.name)

        async def guarded(request: web.Request) -> web.StreamResponse:
            try:
                bearer = await self._bearer(request)
                bearer.require(row.scope)
                began = asyncio.get_running_loop().time()
                reply = await call(await _asked(request, row, bearer))
                if asyncio.get_running_loop().time() - began > BELIEVED:
                    await self._bearer(request)  # the token may have ended while the call waited
                return _sent(reply)
            except DebateError as error:
                return _refused(error)

        return guarded

    async def _bearer(self, request: web.Request) -> Bearer:
        """Returns the bearer of the request's token. Raises ``RequestRefused`` (401)."""
        bearer = None
        if secret := token_of(request):
            bearer = await self._tokens.bearer(secret)
        if bearer is None:
            raise RequestRefused(describe_no_token(request), 401)
        return bearer


async def _document(_request: web.Request) -> web.Response:
    """Serves the OpenAPI document, which says nothing of what is stored."""
    return web.Response(text=openapi(), content_type=JSON, headers=_HEADERS)


async def _nothing(request: web.Request) -> web.Response:
    """Refuses a request that no row answers: an unknown address, or another method."""
    methods = [row.method for row in OPERATIONS if _stands_at(row, request.path)]
    if not methods:
        return await _missing(request)
    allowed = ", ".join(methods)
    why = f"This address accepts only {allowed}: {_TELLS}"
    refused = _refused(RequestRefused(why, 405))
    refused.headers["Allow"] = allowed
    return refused


async def _missing(_request: web.Request) -> web.Response:
    return _refused(RequestRefused(f"Nothing is at this address: {_TELLS}", 404))


def _stands_at(row: Operation, path: str) -> bool:
    named = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(row.address))
    return re.fullmatch(named, path) is not None


async def _asked(request: web.Request, row: Operation, bearer: Bearer) -> ApiCall:
    """Reads the request as the row describes it. Raises ``BadInput``."""
    body: Mapping[str, Any] = {}
    if row.body:
        raw = await body_of(request)
        if raw or row.says:
            body = await asyncio.to_thread(_read, raw, row)
    key = request.headers.get("Idempotency-Key", "") if row.keyed else ""
    if len(key) > _KEYS or not key.isascii() or not (key.isprintable() or not key):
        raise BadInput(f"An Idempotency-Key has at most {_KEYS} plain characters.")
    _require_known(request, row)
    there = request.match_info
    return ApiCall(bearer, there.get("id", there.get("name", "")), query_of(request), body, key)


def _require_known(request: web.Request, row: Operation) -> None:
    """Raises ``BadInput`` for a parameter that the row does not have and for an unknown word, so
    that a misspelt cursor does not return the first page for ever.
    """
    known = {each.name: each.schema for each in row.asks}
    names = names_in_query(request)
    for name in names:
        if name not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise BadInput(f"There is no {name[:40]!r} in the query of this address: {takes}.")
        if names.count(name) > 1:
            raise BadInput(f"`{name}` is in the query twice: send one.")
    for name, value in query_of(request).items():
        words = known[name].get("enum")
        if words and value and value not in words:
            raise BadInput(f"`{name}` is one of {', '.join(words)}, not {value[:40]!r}.")


def _read(raw: bytes, row: Operation) -> Mapping[str, Any]:
    """Returns the JSON object in the body. Raises ``BadInput``."""
    try:
        body = read_object(raw)
    except NoDocument:
        raise BadInput("The body is not one JSON object.") from None
    known = {each.name: each for each in row.says}
    for name, value in body.items():
        if name not in known:
            takes = ", ".join(known) or "nothing"
            raise BadInput(f"There is no member {name[:40]!r} here: the body takes {takes}.")
        kind = known[name].schema["type"]
        if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
            raise BadInput(f"`{name}` must be of the type {kind}.")
        if len(str(value)) > known[name].field.most:
            raise BadInput(f"`{name}` is too long: at most {known[name].field.most:,} characters.")
    return body


def _sent(reply: ApiReply) -> web.Response:
    headers = dict(_HEADERS)
    if reply.location:
        headers["Location"] = reply.location
    if reply.media == "text/html":  # a document to keep, no page of this address
        headers |= {"Content-Disposition": "attachment", "Content-Security-Policy": "sandbox"}
    if reply.text:
        return web.Response(
            text=reply.text, status=reply.status, content_type=reply.media, headers=headers
        )
    return web.json_response(reply.value, status=reply.status, headers=headers)


def _refused(error: DebateError) -> web.Response:
    headers, status = dict(_HEADERS), status_of(error)
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return web.json_response(problem(error), status=status, headers=headers, content_type=MEDIA)
