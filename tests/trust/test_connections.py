"""Connections that were opened to keep others out, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import web

from adapters.routes import Route, Who
from bot.serve.connections import ConnectionLimits
from bot.serve.http import HttpServer
from tests.patience import PATIENCE
from tests.trust.test_watching import server

LARGE = bytes(30_000_000)


class Slow:
    """Answers when it is let."""

    def __init__(self) -> None:
        self.go_on, self.here = asyncio.Event(), 0

    async def wait(self, _request: web.Request) -> web.Response:
        self.here += 1
        await self.go_on.wait()
        return web.Response(text="done")

    async def large(self, _request: web.Request) -> web.Response:
        return web.Response(body=LARGE)

    def routes(self) -> list[Route]:
        return [
            Route("GET", "/slow", Who.ANYONE, self.wait),
            Route("GET", "/large", Who.ANYONE, self.large),
        ]


@asynccontextmanager
async def serving(slow: Slow, **limits: float) -> AsyncIterator[tuple[HttpServer, str]]:
    bounds = ConnectionLimits(**{"most": 10, "each": 10} | limits)  # type: ignore[arg-type]
    async with server(routes=slow.routes(), limits=bounds) as made:
        try:
            yield made
        finally:
            slow.go_on.set()


async def opened(
    stack: AsyncExitStack, address: str, data: bytes = b""
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    url = urlsplit(address)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    stack.callback(writer.close)
    writer.write(data)
    return reader, writer


async def ended(reader: asyncio.StreamReader) -> bytes:
    """Returns the bytes that the other side sent until it closed the connection."""
    async with asyncio.timeout(PATIENCE):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


async def alive(address: str) -> int:
    async with aiohttp.ClientSession() as web, web.get(f"{address}/healthz") as answer:
        return answer.status


@pytest.mark.parametrize("data", [b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-"])
async def test_idle_connections_keep_nobody_out(data: bytes) -> None:
    async with AsyncExitStack() as stack, serving(Slow()) as (made, address):
        for _ in range(60):
            await opened(stack, address, data)
            if data:
                assert await alive(address) == 200
        assert await alive(address) == 200
        assert len(made.connections.open) <= 10


async def test_who_waits_for_an_answer_gives_no_room_and_nobody_waits_for_ever() -> None:
    slow = Slow()
    ask = b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    async with AsyncExitStack() as stack, serving(slow, most=3) as (_, address):
        waiting = [(await opened(stack, address, ask))[0] for _ in range(3)]
        async with asyncio.timeout(PATIENCE):
            while slow.here < 3:  # noqa: ASYNC110 (nothing tells)
                await asyncio.sleep(0.01)
        reader, _writer = await opened(stack, address, ask)
        assert await ended(reader) == b""
        slow.go_on.set()
        for one in waiting:
            assert (await ended(one)).endswith(b"done")
        assert await alive(address) == 200


@pytest.mark.parametrize("data", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n"])
async def test_a_head_that_does_not_come_ends_the_connection(data: bytes) -> None:
    async with AsyncExitStack() as stack, serving(Slow(), head=0.05) as (made, address):
        reader, _ = await opened(stack, address, data)
        assert await ended(reader) == b""
        assert not made.connections.open


async def test_who_takes_no_answer_is_let_go_of() -> None:
    ask = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n"
    async with AsyncExitStack() as stack, serving(Slow(), taking=0.05) as (made, address):
        url = urlsplit(address)
        reader, writer = await asyncio.open_connection(url.hostname, url.port, limit=1_000)
        stack.callback(writer.close)
        writer.write(ask)
        async with asyncio.timeout(PATIENCE):
            while not made.connections.open:  # noqa: ASYNC110 (nothing tells)
                await asyncio.sleep(0.01)
            while made.connections.open:  # noqa: ASYNC110 (nothing tells)
                await asyncio.sleep(0.01)
        assert len(await ended(reader)) < len(LARGE)
