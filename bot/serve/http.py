"""What can be asked of the running bot over HTTP: whether it lives, whether it is ready, its
figures, and what the platforms send.

Bound to loopback unless told otherwise; nothing here names a debate's content.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from aiohttp import web

from bot.serve.metrics import Metrics

if TYPE_CHECKING:
    from bot.wire import House

logger = logging.getLogger(__name__)
PATIENCE = 2.0
"""Seconds that the database has to answer a question about readiness."""

Ready = Callable[[], str]
"""Empty when a part is ready, else what is missing."""


class HttpServer:
    """The HTTP server.

    ``parts`` are asked for readiness by name; ``app`` may be given more routes before ``open``.
    """

    def __init__(self, house: House, metrics: Metrics, parts: Mapping[str, Ready]) -> None:
        self._house, self._metrics, self._parts = house, metrics, parts
        self.app = web.Application(client_max_size=1_000_000)
        self.app.router.add_get("/healthz", self._alive)
        self.app.router.add_get("/readyz", self._ready)
        self.app.router.add_get("/metrics", self._figures)
        self._runner: web.AppRunner | None = None

    async def open(self, host: str, port: int) -> str:
        """The address it listens on. Raises ``OSError`` when the port is taken."""
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=2.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        bound = self._runner.addresses[0]
        shown = f"[{bound[0]}]" if ":" in str(bound[0]) else str(bound[0])
        return f"http://{shown}:{bound[1]}"

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _alive(self, _request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def _ready(self, _request: web.Request) -> web.Response:
        missing = {name: problem for name, ready in self._parts.items() if (problem := ready())}
        try:
            async with asyncio.timeout(PATIENCE):
                await self._house.debates.count_by_status()
        except Exception as error:  # noqa: BLE001 (whatever keeps the database from answering, the answer here is the same)
            logger.warning(
                "the database does not answer",
                extra={"action": "readyz", "error": type(error).__name__},
            )
            missing["database"] = "does not answer"
        return web.json_response(
            {"ready": not missing, "missing": missing}, status=503 if missing else 200
        )

    async def _figures(self, _request: web.Request) -> web.Response:
        text = await self._metrics.text(self._house)
        return web.Response(
            body=text, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}
        )
