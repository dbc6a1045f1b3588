"""Limits open connections so that no client keeps others out.

A request's head has to come soon, a client that takes no answer is disconnected, and the number of
connections is limited, from one address and in all. A new connection above the limit replaces the
connection that has been idle longest. A proxy on this machine connects for everyone, so the
loopback has no limit. Connections are accepted one at a time, so that a burst never takes the files
that the database and the outgoing requests need.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import math
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.routes import Answer

_KEPT_FREE = 256
"""The number of files that a process needs in addition to its connections."""
_WANTED_FILES = 8_192
_PAUSE = 0.5
"""Seconds until the next try to accept a connection after one that failed."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The limits. ``most`` connections in all and ``each`` from one address; ``head`` are the
    seconds in which the first request's head has to arrive, ``idle`` those for which a connection
    is kept after an answer (proxies keep theirs for a minute or two), ``taking`` those in which a
    full connection has to take something again.
    """

    most: int = 4_000
    each: int = 1_000
    head: float = 10.0
    idle: float = 150.0
    taking: float = 60.0


def fitting(limits: ConnectionLimits) -> ConnectionLimits:
    """Returns limits that this process's open files allow, because a process without a free file
    answers nobody.
    """
    try:
        import resource
    except ImportError:  # a system without such limits
        return limits
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    room = limits.most if soft == resource.RLIM_INFINITY else max(16, soft - _KEPT_FREE)
    most = min(limits.most, room)
    return replace(limits, most=most, each=min(limits.each, most))


@dataclass(eq=False, slots=True)
class Connections:
    """All connections to one server. ``idle`` are the connections that wait for a request, the
    longest first; ``latest`` is when the last request began, by the event loop's clock.
    """

    limits: ConnectionLimits
    latest: float = -math.inf
    open: set[Connection] = field(default_factory=set)
    idle: dict[Connection, None] = field(default_factory=dict)
    _of: dict[asyncio.BaseProtocol, Connection] = field(default_factory=dict)
    _from: Counter[str] = field(default_factory=Counter)

    def factory(self, server: web.Server) -> Callable[[], asyncio.Protocol]:
        """Returns the function with which the event loop makes a connection's protocol."""
        return lambda: Connection(self, server())

    def admit(self, one: Connection) -> bool:
        """True if one more connection may stay, after closing an idle one if that makes room."""
        if not one.local and self._from[one.address] >= self.limits.each:
            crowd = (each for each in self.idle if each.address == one.address)
            if not self._let_go(next(crowd, None)):
                return False
        if len(self.open) >= self.limits.most and not self._let_go(next(iter(self.idle), None)):
            return False
        self.open.add(one)
        self._of[one.inner] = one
        self._from[one.address] += 1
        self.idle[one] = None
        return True

    def forget(self, one: Connection) -> None:
        if one in self.open:
            self.open.discard(one)
            self._of.pop(one.inner, None)
            self._from[one.address] -= 1
            self._from += Counter()  # drops those of which none is left
        self.idle.pop(one, None)

    def _let_go(self, one: Connection | None) -> bool:
        if one is None:
            return False
        self.forget(one)
        one.let_go()
        return True

    def noting(self) -> Middleware:
        """Returns a middleware that records which connections are serving a request."""

        @web.middleware
        async def noted(request: web.Request, handler: Answer) -> web.StreamResponse:
            self.latest = asyncio.get_running_loop().time()
            one = self._of.get(request.protocol)
            if one is None:
                return await handler(request)
            one.begin()
            self.idle.pop(one, None)
            try:
                return await handler(request)
            finally:
                if one in self.open:
                    self.idle[one] = None

        return noted


class Connection(asyncio.Protocol):
    """One connection: aiohttp's own protocol behind two timers."""

    def __init__(self, all: Connections, inner: web.RequestHandler) -> None:
        self.inner, self._all = inner, all
        self.address, self.local = "", True
        self._transport: asyncio.Transport | None = None
        self._head: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101  a server's are
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        self.local = _is_loopback(self.address)
        self._transport = transport
        if not self._all.admit(self):
            transport.abort()
            return
        loop = asyncio.get_running_loop()
        self._head = loop.call_later(self._all.limits.head, self.let_go)
        self.inner.connection_made(transport)

    def begin(self) -> None:
        """Records that a request has arrived."""
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def let_go(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self in self._all.open:
            self.inner.data_received(data)

    def eof_received(self) -> bool | None:
        self.inner.eof_received()
        return None

    def pause_writing(self) -> None:
        loop = asyncio.get_running_loop()
        self._taking = loop.call_later(self._all.limits.taking, self.let_go)
        self.inner.pause_writing()

    def resume_writing(self) -> None:
        self._cancel_taking()
        self.inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self.begin()
        self._cancel_taking()
        self._all.forget(self)
        if self.inner.transport is not None:
            self.inner.connection_lost(exc)

    def _cancel_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None


async def accept_connections(
    listener: socket.socket, protocol: Callable[[], asyncio.Protocol]
) -> None:
    """Accept connections until this task is cancelled, each with a separate protocol.

    A connection that cannot be accepted is logged and tried again; it never ends the server.
    """
    loop = asyncio.get_running_loop()
    while True:
        try:
            accepted, _ = await loop.sock_accept(listener)
        except ConnectionError:
            continue  # the client was gone before it was accepted
        except OSError as error:  # no open file is left, or the network of this one is gone
            why = {"action": "accept", "because": error.strerror}
            logger.warning("a connection can't be accepted", extra=why)
            await asyncio.sleep(_PAUSE)
            continue
        try:
            await loop.connect_accepted_socket(protocol, accepted)
        except OSError:
            accepted.close()


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return True
