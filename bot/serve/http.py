"""The running bot over HTTP: health, readiness, figures, and the platforms' events.

It is bound to loopback by default, and none of its answers names a debate's content. The address of
a request proves nothing: behind a proxy everyone comes from this machine.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.room.visitors import matches
from adapters.routes import Answer, Route, Who
from adapters.routes.bodies import BodyRoom
from adapters.routes.serving import serve_routes
from bot.serve.connections import ConnectionLimits, Connections, accept_connections, fitting
from core.debate.errors import StoreAway

logger = logging.getLogger(__name__)
_PATIENCE = 2.0
"""Seconds that the database has to answer the question about readiness."""
_BACKLOG = 512
"""Connections that the system keeps until they are accepted."""

Missing = Callable[[], Mapping[str, str]]
"""Returns the parts that are not ready, each with the reason; empty when all are."""


class HttpServer:
    """The HTTP server.

    ``figures`` is the text of ``/metrics``; ``ask_database`` returns when the database
    answers and takes writes.
    Figures and readiness are for the operator only: with ``watch_port`` they are only on that port;
    with ``watch_token`` the request must carry it. With neither they are not served. ``/healthz``
    answers everybody.
    """

    def __init__(
        self,
        figures: Callable[[], Awaitable[bytes]],
        ask_database: Callable[[], Awaitable[object]],
        routes: Sequence[Route] = (),
        *,
        watch_token: str = "",
        watch_port: int | None = None,
        limits: ConnectionLimits | None = None,
        bodies: BodyRoom | None = None,
    ) -> None:
        self._figures = figures
        self._ask_database = ask_database
        self._missing: Missing = dict
        self._watch_token, self._watch_port = watch_token, watch_port
        alive = Route("GET", "/healthz", Who.ANYONE, self._answer_alive)
        own = (
            Route("GET", "/readyz", Who.OPERATOR, self._for_operators(self._answer_ready)),
            Route("GET", "/metrics", Who.OPERATOR, self._for_operators(self._answer_figures)),
        )
        self.routes = (alive, *own, *routes)
        """Every route that is served."""
        self.serves_people = bool(routes)
        self.connections = Connections(fitting(limits or ConnectionLimits()))
        noting = self.connections.noting()
        self._away = "starting"
        waiting = self._waiting({route.path for route in (alive, *own)})
        if watch_port is None:
            self._app = serve_routes(self.routes, noting, waiting, room=bodies)
        else:
            self._app = serve_routes((alive, *routes), noting, waiting, room=bodies)
            self._watched = serve_routes((alive, *own), noting)
        self._runners: list[web.AppRunner] = []
        self._listeners: list[socket.socket] = []
        self._accepting: list[asyncio.Task[None]] = []
        self.watch_address = ""

    async def open(self, host: str, port: int, missing: Missing) -> str:
        """Listens and returns the address; ``missing`` is called for readiness. Until ``take_in``
        only the routes about health are served. Raises ``OSError`` when the port is taken.
        """
        self._missing = missing
        address = await self._listen(self._app, host, port)
        if self._watch_port is not None:
            self.watch_address = await self._listen(self._watched, host, self._watch_port)
        return address

    def take_in(self) -> None:
        """Opens every route to requests."""
        self._away = ""

    def turn_away(self) -> None:
        """Serves only the routes about health from here on, because the platforms stop: they would
        acknowledge what nobody does any more.
        """
        self._away = "stopping"

    def _waiting(self, always: Collection[str]) -> Middleware:
        @web.middleware
        async def waiting(request: web.Request, handler: Answer) -> web.StreamResponse:
            if not self._away or request.path in always:
                return await handler(request)
            return web.Response(
                status=503,
                text=f"The bot is {self._away}. Try again in a moment.\n",
                headers={"Retry-After": "2"},
            )

        return waiting

    async def close(self) -> None:
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        for listener in self._listeners:
            listener.close()
        for runner in self._runners:
            await runner.cleanup()

    async def _listen(self, app: web.Application, host: str, port: int) -> str:
        # aiohttp would unpack what is packed by itself, on the loop, even after the answer
        runner = web.AppRunner(
            app,
            access_log=None,
            shutdown_timeout=2.0,
            auto_decompress=False,
            lingering_time=0.5,
            keepalive_timeout=self.connections.limits.idle,
        )
        self._runners.append(runner)
        await runner.setup()
        assert runner.server is not None  # noqa: S101  it was just set up
        make = self.connections.factory(runner.server)
        listeners = await _listeners(host, port)
        self._listeners += listeners
        self._accepting += [
            asyncio.create_task(accept_connections(one, make), name="accept") for one in listeners
        ]
        bound = listeners[0].getsockname()
        address = f"[{bound[0]}]" if ":" in str(bound[0]) else str(bound[0])
        return f"http://{address}:{bound[1]}"

    def _for_operators(self, answer: Answer) -> Answer:
        async def guarded(request: web.Request) -> web.StreamResponse:
            if not self._may_watch(request):
                raise web.HTTPNotFound
            return await answer(request)

        return guarded

    def _may_watch(self, request: web.Request) -> bool:
        if not self._watch_token:
            return self._watch_port is not None
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return matches(given, self._watch_token)

    async def _answer_alive(self, _request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def _answer_ready(self, _request: web.Request) -> web.Response:
        missing = dict(self._missing())
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._ask_database()
        except Exception as error:  # noqa: BLE001 (whatever keeps the database from answering, the answer here is the same)
            facts = {"action": "readyz", "error": type(error).__name__}
            why = "does not answer"
            if isinstance(error, StoreAway):
                why = str(error)
            logger.warning("the database is away", extra=facts | {"because": why})
            missing["database"] = why
        status = 503 if missing else 200
        return web.json_response({"ready": not missing, "missing": missing}, status=status)

    async def _answer_figures(self, _request: web.Request) -> web.Response:
        return web.Response(
            body=await self._figures(),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )


async def _listeners(host: str, port: int) -> list[socket.socket]:
    """Return the listening sockets of all addresses of ``host``. Raises ``OSError`` if the port is
    taken.
    """
    bound = await asyncio.get_running_loop().create_server(
        asyncio.Protocol, host, port, start_serving=False
    )
    listeners = [socket.fromfd(one.fileno(), one.family, one.type) for one in bound.sockets]
    bound.close()
    for listener in listeners:
        listener.setblocking(False)
        listener.listen(_BACKLOG)
    return listeners
