"""Connections that are kept between two questions, over real sockets."""

from __future__ import annotations

import asyncio
import time

import pytest

from adapters.models.wire import Address, Http
from core.debate.errors import ModelError

ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"
)


async def test_a_connection_that_closes_as_it_is_taken_up_again_loses_no_question() -> None:
    asked = 0

    async def answer_and_close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Closes the connection after the answer without saying so, as llama-server does."""
        nonlocal asked
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].split()[0]
        await reader.readexactly(int(length))
        asked += 1
        writer.write(ANSWER)
        writer.close()

    server = await asyncio.start_server(answer_and_close, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    http = Http()
    http.allow(base)
    async with server:
        for n in range(1, 6):
            async with http.stream(Address("local", base), {"n": n}) as events:
                while await events.read(begun=True):
                    pass
            assert asked == n, "each question came once"
            time.sleep(0.01)  # noqa: ASYNC251  # the end comes while the loop does not look
        await http.aclose()


async def test_a_machine_without_a_connection_does_not_call_the_provider_down() -> None:
    server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    await server.wait_closed()
    http = Http()
    http.allow(base)
    with pytest.raises(ModelError) as raised:
        async with http.stream(Address("local", base), {}):
            pass
    await http.aclose()
    assert str(raised.value).startswith("local: no connection (“127.0.0.1 was not reached")
    assert "check the network" in str(raised.value)
