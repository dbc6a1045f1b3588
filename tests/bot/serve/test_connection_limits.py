"""A process keeps no more connections than it may open files."""

from __future__ import annotations

import asyncio
import errno
import resource
import socket
from typing import TYPE_CHECKING, Any, ClassVar, cast

import pytest

from bot.serve import connections as module
from bot.serve.connections import Connection, ConnectionLimits, Connections, fitting
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from aiohttp import web

NEVER = resource.RLIM_INFINITY


def test_a_limit_fits_the_files_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[int, int, int | None, int]] = [
        (1_024, 4_096, 4_096, 3_840),  # as far as this process may
        (1_024, NEVER, 8_192, 4_000),
        (1_024, 100_000, 8_192, 4_000),
        (8_192, 8_192, None, 4_000),  # that is enough
        (4_096, 4_096, None, 3_840),
        (NEVER, NEVER, None, 4_000),
        (256, 256, None, 16),  # a few at least
        (273, 273, None, 17),
        (271, 271, None, 16),
    ]
    for soft, hard, raised, most in cases:
        changes: list[tuple[int, int]] = []
        monkeypatch.setattr(resource, "getrlimit", lambda _, now=(soft, hard): now)
        monkeypatch.setattr(resource, "setrlimit", lambda _, to, seen=changes: seen.append(to))
        limits = fitting(ConnectionLimits())
        assert changes == ([] if raised is None else [(raised, hard)])
        assert (limits.most, limits.each) == (most, min(1_000, most))
        assert (limits.head, limits.idle, limits.taking) == (10.0, 150.0, 60.0)


def test_smaller_limits_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (8_192, 8_192))
    assert fitting(ConnectionLimits(most=9, each=20)) == ConnectionLimits(most=9, each=9)


class Wire(asyncio.Transport):
    """A connection's other end, which notes that it was cut."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 1)} if address else {})
        self.cut = False

    def abort(self) -> None:
        self.cut = True


class Inner(asyncio.Protocol):
    """What the server makes of a connection: it notes what reaches it."""

    def __init__(self) -> None:
        self.transport: asyncio.BaseTransport | None = None
        self.heard: list[object] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.heard.append(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.heard.append(exc)


def connected(all_: Connections, address: str) -> tuple[Connection, Inner, Wire]:
    inner, wire = Inner(), Wire(address)
    one = Connection(all_, cast("web.RequestHandler", inner))
    one.connection_made(wire)
    return one, inner, wire


async def test_one_address_has_so_many_and_a_proxy_here_speaks_for_everybody() -> None:
    all_ = Connections(ConnectionLimits(most=9, each=1))
    first, second = connected(all_, "192.0.2.1"), connected(all_, "192.0.2.1")
    assert [one[2].cut for one in (first, second)] == [True, False]
    others = [connected(all_, address) for address in ("127.0.0.1", "127.0.0.1", "::1", "::1%lo")]
    assert not any(wire.cut for *_, wire in others)
    all_.idle.clear()
    assert connected(all_, "192.0.2.1")[2].cut


async def test_an_end_reaches_whoever_was_connected_and_nobody_else() -> None:
    all_ = Connections(ConnectionLimits(most=1, each=1))
    one, inner, _ = connected(all_, "192.0.2.1")
    all_.idle.clear()
    refused, outer, _ = connected(all_, "192.0.2.2")
    refused.connection_lost(None)
    one.connection_lost(None)
    assert (outer.heard, inner.heard, all_.open) == ([], [None], set())
    assert not connected(all_, "192.0.2.1")[2].cut, "there is room again"


class Troubled(socket.socket):
    """A listener whose first connections fail."""

    troubles: ClassVar[list[int]] = []

    def accept(self) -> tuple[socket.socket, Any]:
        if self.troubles:
            raise OSError(self.troubles.pop(), "no such luck")
        return super().accept()


async def test_a_connection_that_fails_before_it_is_accepted_keeps_no_other_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    monkeypatch.setattr(Troubled, "troubles", [errno.EMFILE, errno.EPROTO, errno.EHOSTUNREACH])
    made = asyncio.Event()

    def protocol() -> asyncio.Protocol:
        made.set()
        return asyncio.Protocol()

    with Troubled() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        accepting = asyncio.create_task(module.accept_connections(listener, protocol))
        _, writer = await asyncio.open_connection(*listener.getsockname())
        async with asyncio.timeout(PATIENCE):
            await made.wait()
        accepting.cancel()
        await asyncio.wait([accepting])
        writer.close()
