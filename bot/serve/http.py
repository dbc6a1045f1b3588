"""What can be asked of the running bot over HTTP: whether it lives, whether it is ready, its
figures, and what the platforms send.

Bound to loopback unless told otherwise; nothing here names a debate's content.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping

from aiohttp import web

from adapters.room.incoming.visitors import at_this_machine

logger = logging.getLogger(__name__)
_PATIENCE = 2.0
"""Seconds that the database has to answer a question about readiness."""

Route = Callable[[web.Application], None]
"""Adds paths of its own."""
_Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
Missing = Callable[[], Mapping[str, str]]
"""What is not ready and why, by part; empty when all is."""


def _nothing() -> Mapping[str, str]:
    return {}


class HttpServer:
    """The HTTP server.

    ``figures`` is the text of ``/metrics``; ``ask_database`` returns when the database answers.
    Figures and health are for whoever runs the bot: with ``watch_port`` they are on that port and
    nowhere else, without it they answer this machine, and whoever sends ``watch_token``.
    """

    def __init__(
        self,
        figures: Callable[[], Awaitable[bytes]],
        ask_database: Callable[[], Awaitable[object]],
        routes: Iterable[Route] = (),
        *,
        watch_token: str = "",
        watch_port: int | None = None,
    ) -> None:
        self._figures = figures
        self._ask_database = ask_database
        self._missing: Missing = _nothing
        self._watch_token, self._watch_port = watch_token, watch_port
        self._app = web.Application(client_max_size=3_000_000)
        self._watched = self._app if watch_port is None else web.Application()
        self._watched.router.add_get("/healthz", self._for_operators(self._answer_alive))
        self._watched.router.add_get("/readyz", self._for_operators(self._answer_ready))
        self._watched.router.add_get("/metrics", self._for_operators(self._answer_figures))
        for route in routes:
            route(self._app)
        self._runners: list[web.AppRunner] = []
        self.watch_address = ""

    async def open(self, host: str, port: int, missing: Missing = _nothing) -> str:
        """The address it listens on; ``missing`` is asked for readiness. Raises ``OSError`` when
        the port is taken.
        """
        self._missing = missing
        address = await self._listen(self._app, host, port)
        if self._watch_port is not None:
            self.watch_address = await self._listen(self._watched, host, self._watch_port)
        return address

    async def close(self) -> None:
        for runner in self._runners:
            await runner.cleanup()

    async def _listen(self, app: web.Application, host: str, port: int) -> str:
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=2.0)
        self._runners.append(runner)
        await runner.setup()
        await web.TCPSite(runner, host, port).start()
        bound = runner.addresses[0]
        shown = f"[{bound[0]}]" if ":" in str(bound[0]) else str(bound[0])
        return f"http://{shown}:{bound[1]}"

    def _for_operators(self, answer: _Answer) -> _Answer:
        async def guarded(request: web.Request) -> web.StreamResponse:
            if not self._may_watch(request):
                raise web.HTTPNotFound
            return await answer(request)

        return guarded

    def _may_watch(self, request: web.Request) -> bool:
        """A proxy on this machine speaks for somebody else, and says so; a page whose name leads
        here names itself.
        """
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self._watch_token and hmac.compare_digest(given.encode(), self._watch_token.encode()):
            return True
        if self._watch_port is not None and not self._watch_token:
            return True
        return at_this_machine(request)

    async def _answer_alive(self, _request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def _answer_ready(self, _request: web.Request) -> web.Response:
        missing = dict(self._missing())
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._ask_database()
        except Exception as error:  # noqa: BLE001 (whatever keeps the database from answering, the answer here is the same)
            logger.warning(
                "the database does not answer",
                extra={"action": "readyz", "error": type(error).__name__},
            )
            missing["database"] = "does not answer"
        status = 503 if missing else 200
        return web.json_response({"ready": not missing, "missing": missing}, status=status)

    async def _answer_figures(self, _request: web.Request) -> web.Response:
        return web.Response(
            body=await self._figures(),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )
