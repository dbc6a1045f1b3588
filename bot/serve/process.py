"""The bot as it runs for weeks: the runtime, the poster, the ticker, the HTTP server, and the
configured platforms.

An orderly stop takes in nothing new, releases the debates and lets posts in flight arrive, all
within ten seconds; the next start resumes the debates that were running. A crash only leaves out
the orderly part.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from adapters.ports.platform import Platform
from adapters.routes import Route
from bot.jobs import Jobs, Periodic
from bot.posting.deliver import Poster
from bot.schedules.tick import Ticker
from bot.serve.http import HttpServer
from bot.serve.runtime.base import Runtime
from core.debate.errors import BadInput
from storage.database.running import RunningBots

logger = logging.getLogger(__name__)
_QUIET = 2.0
"""Seconds without a request after which nobody is believed to wait for an answer."""


class OpenPages(Protocol):
    """The source of the pages that people keep open."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


Run = Callable[[], Coroutine[None, None, None]]
"""A worker, which runs until it is cancelled."""


@dataclass(eq=False, slots=True)
class Bot:
    """Everything that runs.

    ``platforms`` are by name; ``address`` is where HTTP is served, and ``running`` receives it if
    more than health and figures are served. ``jobs`` repeats the ``periodic`` jobs; those and the
    ``workers`` are by their names in the log.
    """

    runtime: Runtime
    poster: Poster
    ticker: Ticker
    http_server: HttpServer
    platforms: Mapping[str, Platform]
    open_pages: OpenPages
    running: RunningBots
    jobs: Jobs
    periodic: Mapping[str, Periodic]
    workers: Mapping[str, Run]
    address: str = ""
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _started: bool = False
    _stopping: bool = False

    @property
    def routes(self) -> Sequence[Route]:
        """Returns every route that is served over HTTP."""
        return self.http_server.routes

    def quiet(self) -> bool:
        """True if no debate is played here and no request has come for a moment."""
        latest = self.http_server.connections.latest
        return not self.runtime.playing() and asyncio.get_running_loop().time() > latest + _QUIET

    async def start(self, host: str, port: int) -> None:
        """Starts everything. Health is served over HTTP from the first moment on; unfinished
        debates are resumed meanwhile. Raises ``BadInput`` for another runner, a taken port or a
        refused token.
        """
        await self.runtime.start()
        try:
            self.address = await self.http_server.open(host, port, self._missing)
        except OSError as error:
            raise BadInput(_describe_closed(host, port, error)) from error
        for platform in self.platforms.values():
            await platform.start()
        await self.open_pages.start()
        self._tasks = [asyncio.create_task(run(), name=name) for name, run in self.workers.items()]
        for name, job in self.periodic.items():
            self.jobs.add(name, job)
        await self.running.begin(self.address if self.http_server.serves_people else "")
        self.http_server.take_in()
        self._started = True

    async def drain(self, seconds: float) -> None:
        """Prepares a stop that has time: the bot is no longer ready but still takes everything in,
        until each seat that is speaking has finished.
        """
        self._stopping = True
        await self.runtime.drain(seconds)

    async def stop(self) -> None:
        """Lets deliveries under way arrive while the platforms are still there, then stops
        everything. A failure of one part keeps no other from stopping.
        """
        self._stopping = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.jobs.stop()
        await self.ticker.stop()
        self.http_server.turn_away()
        platforms = [platform.stop for platform in self.platforms.values()]
        await _stop_all((self.runtime.stop, self._close_http, *platforms))

    async def _close_http(self) -> None:
        """Closes the open pages first, because they would keep the server from closing."""
        if self.address:
            await self.running.end()
        await self.open_pages.stop()
        await self.http_server.close()

    def _missing(self) -> Mapping[str, str]:
        if not self._started:
            return {"bot": "is starting"}
        if self._stopping:
            return {"bot": "is stopping"}
        stopped = [f"the {task.get_name()} has stopped" for task in self._tasks if task.done()]
        parts = {name: platform.ready() for name, platform in self.platforms.items()}
        parts["bot"] = ", ".join(stopped)
        parts["debates"] = self.runtime.missing()
        return {name: problem for name, problem in parts.items() if problem}


async def _stop_all(stops: Iterable[Callable[[], Awaitable[None]]]) -> None:
    for result in await asyncio.gather(*(stop() for stop in stops), return_exceptions=True):
        if isinstance(result, Exception):
            logger.error("a part did not stop cleanly", exc_info=result, extra={"action": "stop"})


def _describe_closed(host: str, port: int, error: OSError) -> str:
    next_step = "Set DEBATE_PORT to a free one."
    if error.errno == errno.EACCES:
        next_step = "Set DEBATE_PORT to one above 1023 and put a proxy in front of it."
    elif isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        next_step = "Set DEBATE_HOST to an address of this machine."
    reason = (error.strerror or str(error)).rpartition(": ")[2]  # without asyncio's address
    return f"Port {port} of {host} can't be used: {reason}. {next_step}"
