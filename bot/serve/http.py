"""What can be asked of the running bot over HTTP: whether it lives, whether it is ready, its
figures, and what the platforms send.

Bound to loopback unless told otherwise; nothing here names a debate's content.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping

from aiohttp import web

logger = logging.getLogger(__name__)
_PATIENCE = 2.0
"""Seconds that the database has to answer a question about readiness."""

Route = Callable[[web.Application], None]
"""Adds paths of its own."""
Missing = Callable[[], Mapping[str, str]]
"""What is not ready and why, by part; empty when all is."""


def _nothing() -> Mapping[str, str]:
    return {}


class HttpServer:
    """The HTTP server.

    ``figures`` is the text of ``/metrics``; ``ask_database`` returns when the database answers.
    """

    def __init__(
        self,
        figures: Callable[[], Awaitable[bytes]],
        ask_database: Callable[[], Awaitable[object]],
        routes: Iterable[Route] = (),
    ) -> None:
        self._figures = figures
        self._ask_database = ask_database
        self._missing: Missing = _nothing
        self._app = web.Application(client_max_size=3_000_000)
        self._app.router.add_get("/healthz", self._answer_alive)
        self._app.router.add_get("/readyz", self._answer_ready)
        self._app.router.add_get("/metrics", self._answer_figures)
        for route in routes:
            route(self._app)
        self._runner: web.AppRunner | None = None

    async def open(self, host: str, port: int, missing: Missing = _nothing) -> str:
        """The address it listens on; ``missing`` is asked for readiness. Raises ``OSError`` when
        the port is taken.
        """
        self._missing = missing
        self._runner = web.AppRunner(self._app, access_log=None, shutdown_timeout=2.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        bound = self._runner.addresses[0]
        shown = f"[{bound[0]}]" if ":" in str(bound[0]) else str(bound[0])
        return f"http://{shown}:{bound[1]}"

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

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
