"""Bodies and connections of strangers together take a bounded part of the process."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from adapters.routes import Media, Route, Who
from adapters.routes.bodies import TOTAL, UNSIGNED, BodyRoom, NoRoomForBody
from adapters.routes.reading import body_of
from tests.patience import PATIENCE
from tests.project import ROOT
from tests.trust.test_watching import server

FILES = 400
"""The most files that the served process of the burst may have open."""


async def take(request: web.Request) -> web.Response:
    return web.Response(text=str(len(await body_of(request))))


@asynccontextmanager
async def served(room: BodyRoom) -> AsyncIterator[str]:
    row = Route("POST", "/hook", Who.PLATFORM, take, body=5_000_000, takes=(Media.JSON,))
    async with server(routes=[row], bodies=room) as (_, address):
        yield address


@asynccontextmanager
async def unfinished(address: str, size: int) -> AsyncIterator[asyncio.StreamReader]:
    """Send all of a body but its last byte."""
    url = urlsplit(address)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    head = (
        "POST /hook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Content-Length: {size + 1}\r\n\r\n"
    )
    try:
        writer.write(head.encode() + bytes(size))
        await writer.drain()
        yield reader
    finally:
        writer.close()


async def filled(room: BodyRoom, size: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while room.unsigned != size:  # noqa: ASYNC110 (nothing tells)
            await asyncio.sleep(0.01)


async def test_unfinished_bodies_of_strangers_together_take_no_more_than_their_room() -> None:
    room, size = BodyRoom(strangers=1_000_000, grace=PATIENCE), 900_000
    async with served(room) as address:
        async with unfinished(address, size):
            await filled(room, size)
            async with unfinished(address, size) as second, asyncio.timeout(PATIENCE):
                assert b" 503 " in await second.readline()
        await filled(room, 0)
        async with aiohttp.ClientSession() as session:
            body, kind = io.BytesIO(bytes(size)), {"Content-Type": "application/json"}
            async with session.post(f"{address}/hook", data=body, headers=kind) as answer:
                assert (answer.status, await answer.text()) == (200, str(size))
    assert room.taken == 0


async def test_a_stranger_that_sends_slowly_is_refused() -> None:
    room = BodyRoom(grace=0.05)
    async with served(room) as address, unfinished(address, 100) as reader:
        async with asyncio.timeout(PATIENCE):
            assert b" 408 " in await reader.readline()
        await filled(room, 0)


@given(st.lists(st.tuples(st.integers(1, UNSIGNED), st.booleans()), max_size=30))
def test_the_room_is_never_overbooked(wanted: list[tuple[int, bool]]) -> None:
    room, held = BodyRoom(), list[tuple[int, bool]]()
    for size, unsigned in wanted:
        try:
            room.reserve(size, unsigned=unsigned)
        except NoRoomForBody:
            if held:
                oldest, stranger = held.pop(0)
                room.release(oldest, unsigned=stranger)
            continue
        held.append((size, unsigned))
        assert room.taken == sum(n for n, _ in held) <= TOTAL
        assert room.unsigned == sum(n for n, stranger in held if stranger) <= UNSIGNED
    for size, unsigned in held:
        room.release(size, unsigned=unsigned)
    assert (room.taken, room.unsigned) == (0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files there")
async def test_a_burst_of_connections_leaves_files_for_everything_else() -> None:
    program = f"""
import asyncio, resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))
from tests.trust.test_watching import server
async def main():
    async with server() as (_, address):
        print(address, flush=True)
        while True:
            await asyncio.sleep(0.002)
            open({__file__!r}).close()
asyncio.run(main())
"""
    bot = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, cwd=ROOT, stdout=subprocess.PIPE
    )
    assert bot.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE):
            address = (await bot.stdout.readline()).decode().strip()
        url = urlsplit(address)
        with ExitStack() as stack:
            os.kill(bot.pid, signal.SIGSTOP)  # the burst waits in the system's queue
            for _ in range(FILES + 100):
                one = stack.enter_context(socket.socket())
                one.setblocking(False)
                one.connect_ex((url.hostname, url.port))
            os.kill(bot.pid, signal.SIGCONT)
            async with (
                asyncio.timeout(PATIENCE),
                aiohttp.ClientSession() as session,
                session.get(f"{address}/healthz") as answer,
            ):
                assert answer.status == 200
        assert bot.returncode is None
    finally:
        if bot.returncode is None:
            bot.kill()
        await bot.wait()
