"""The tools over HTTP, at the bot's own server: one request, one answer, for programs with a token
and for Slack's MCP client, which signs for the person who asks it.

The SDK speaks ASGI and the server is aiohttp, so a request is converted here; nothing is kept
between two requests, and any replica answers the next. The SDK is imported with the first request
that needs it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from aiohttp import web

from adapters.mcp.session import Access, Holder
from adapters.routes import Media, Route, Who
from adapters.routes.reading import RequestRefused, body_of, describe_no_token, token_of
from adapters.routes.waiting import BELIEVED, OpenRequests
from core.debate.errors import CouldNotFinish

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
_LARGEST = 1_100_000
"""The most bytes of a request: a diff and its wrapping."""
SIGNATURE = "X-Slack-Signature"
"""The header with which Slack's MCP client signs a request for a person."""
_HOLDER = "debatebot.holder"
_PATIENCE = 30.0
"""Seconds in which the SDK is imported."""
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class McpEndpoint:
    """The endpoint ``/mcp``. ``keys`` are the operator's secrets, the same in every replica;
    ``public_url`` is the origin of pages that may call it from a browser.
    """

    def __init__(self, access: Access, keys: Sequence[str], public_url: str) -> None:
        self._access, self._keys, self._public_url = access, keys, public_url
        self._wanted, self._waiting = asyncio.Event(), OpenRequests()
        self._manager: asyncio.Future[StreamableHTTPSessionManager] | None = None

    def routes(self) -> list[Route]:
        post = Route(
            *("POST", PATH, Who.TOOL, self._answer),
            body=_LARGEST,
            takes=(Media.JSON,),
            stored="a debate, a challenge, a stop",
        )
        others = (Route(method, PATH, Who.TOOL, self._answer) for method in ("GET", "DELETE"))
        return [post, *others]

    async def run(self) -> None:
        """Runs the SDK's session manager until cancelled."""
        self._manager = asyncio.get_running_loop().create_future()
        await self._wanted.wait()
        manager = await asyncio.to_thread(_make_manager, self._keys)
        async with manager.run():
            self._manager.set_result(manager)
            await asyncio.Event().wait()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        try:
            return await self._answered(request)
        except RequestRefused as error:
            return _refused(error.status, str(error))
        except CouldNotFinish as error:
            return _refused(503, str(error))

    async def _answered(self, request: web.Request) -> web.StreamResponse:
        origin = request.headers.get("Origin", "")
        if origin and origin != _origin(self._public_url):
            return _refused(403, "Pages of other sites may not ask here.")
        holder = await self._holder(request)
        if holder is None:
            answer = _refused(401, describe_no_token(request))
            answer.headers["WWW-Authenticate"] = "Bearer"
            return answer
        if request.method != "POST":  # the older protocol asks whether there are sessions
            raise web.HTTPMethodNotAllowed(request.method, ["POST"])
        body = await body_of(request)
        manager = await self._ready()
        exchange, began = _Exchange(body), asyncio.get_running_loop().time()
        scope = _scope(request) | {_HOLDER: holder}
        with self._waiting.one(holder.id):
            await manager.handle_request(scope, exchange.receive, exchange.send)
        waited = asyncio.get_running_loop().time() - began
        # the token may have ended while the call waited
        if waited > BELIEVED and await self._holder(request) is None:
            return _refused(401, describe_no_token(request))
        return web.Response(
            body=b"".join(exchange.sent), status=exchange.status, headers=exchange.headers
        )

    async def _holder(self, request: web.Request) -> Holder | None:
        """Returns the caller: by their token, or by the signature of the platform that asks for
        them.
        """
        if SIGNATURE in request.headers and "Authorization" not in request.headers:
            return await self._access.signer(await body_of(request), request.headers)
        if secret := token_of(request):
            return await self._access.holder(secret)
        return None

    async def _ready(self) -> StreamableHTTPSessionManager:
        """Waits until the SDK is imported. Raises ``CouldNotFinish``."""
        self._wanted.set()
        if self._manager is None:
            raise CouldNotFinish("The bot is starting. Try again in a moment.")
        try:
            async with asyncio.timeout(_PATIENCE):
                return await asyncio.shield(self._manager)
        except TimeoutError:
            raise CouldNotFinish("The tools are being loaded. Try again in a moment.") from None


@dataclass(slots=True)
class _Exchange:
    """One request in the form of ASGI, and its collected answer."""

    body: bytes
    status: int = 500
    headers: dict[str, str] = field(default_factory=lambda: dict(_HEADERS))
    sent: list[bytes] = field(default_factory=list)
    _read: bool = False

    async def receive(self) -> dict[str, Any]:
        if self._read:
            await asyncio.Event().wait()  # the asker is there until the answer
        self._read = True
        return {"type": "http.request", "body": self.body, "more_body": False}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in message["headers"]}
            self.headers |= {k: v for k, v in headers.items() if k.lower() != "content-length"}
        else:
            self.sent.append(message.get("body", b""))


def _make_manager(keys: Sequence[str]) -> StreamableHTTPSessionManager:
    from mcp.server.transport_security import TransportSecuritySettings

    from adapters.mcp.server import DebateAccess, make_server

    sealing = tuple(hashlib.sha256(f"mcp:{key}".encode()).digest() for key in keys)
    access = DebateAccess(
        lambda request, scope: _holder_of(request).allowed(scope),
        lambda request: _holder_of(request).id,
    )
    server = make_server(access, local=False, keys=sealing)
    server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=_LARGEST,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager


def _holder_of(request: Any) -> Holder:
    """Returns the holder of the request's token, who was identified before the SDK was called."""
    holder: Holder = request.scope[_HOLDER]
    return holder


def _scope(request: web.Request) -> dict[str, Any]:
    headers = [(k.lower(), v) for k, v in request.raw_headers if k.lower() != b"authorization"]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": PATH,
        "raw_path": PATH.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": None,
        "server": None,
    }


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if url else ""


def _refused(status: int, detail: str) -> web.Response:
    return web.json_response({"detail": detail}, status=status, headers=_HEADERS)
