"""The events of an answer, however the network cuts it into pieces."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import pytest

from adapters.models.exchange import LONGEST_TEXT
from adapters.models.wire import Address, Http
from core.debate.errors import ModelError
from tests.patience import PATIENCE


def _length(head: bytes) -> int:
    _, named, rest = head.partition(b"content-length:")
    return int(rest.split()[0]) if named else 0


@asynccontextmanager
async def served(pieces: Sequence[bytes], status: str = "200 OK") -> AsyncIterator[str]:
    """Answers every request with these pieces, each sent by itself."""

    answering: set[asyncio.Task[object] | None] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.add(asyncio.current_task())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(_length(head))
        writer.write(f"HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        with suppress(ConnectionError):
            for piece in pieces:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
                await asyncio.sleep(0.002)
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            await asyncio.gather(*filter(None, answering))


async def events_of(*pieces: bytes) -> list[bytes]:
    async with served(pieces) as base, opened(base) as http:
        events: list[bytes] = []
        async with asyncio.timeout(PATIENCE), http.stream(Address("m", base), {}) as stream:
            while some := await stream.read(begun=bool(events)):
                events += some
        return events


@asynccontextmanager
async def opened(base: str) -> AsyncIterator[Http]:
    http = Http()
    http.allow(base)
    try:
        yield http
    finally:
        await http.aclose()


CUT = {
    "one event": ([b"data: one\n\n"], [b"one"]),
    "two in one piece": ([b"data: one\n\ndata:two\n\n"], [b"one", b"two"]),
    "one in many pieces": ([b"da", b"ta: o", b"ne", b"\n"], [b"one"]),
    "the last without an end": ([b"data: one\n\ndata: two"], [b"one", b"two"]),
    "a comment before": ([b": waiting\n\n", b"data: one\n\n"], [b"one"]),
    "other fields": ([b"event: x\r\nid: 7\r\ndata: one\r\n\r\n"], [b"one"]),
    "nothing": ([], []),
    "no stream": ([b'{"a":\n', b"1}"], [b'{"a":\n1}']),
    "no stream, with an end": ([b'{"a": 1}\n'], [b'{"a": 1}\n']),
    "only a comment": ([b": waiting\n"], []),
    "a body and then an event": ([b"{\n", b"data: one\n\n"], [b"one"]),
}


@pytest.mark.parametrize("case", CUT)
async def test_events_are_read_however_they_are_cut(case: str) -> None:
    pieces, events = CUT[case]
    assert await events_of(*pieces) == events


async def test_the_pieces_of_a_stream_gather_before_they_are_read() -> None:
    """Reading them one by one costs three times the CPU of an answer."""
    pieces, reads = [b"data: %d\n\n" % number for number in range(100)], 0
    async with served(pieces) as base, opened(base) as http:
        events: list[bytes] = []
        async with asyncio.timeout(PATIENCE), http.stream(Address("m", base), {}) as stream:
            while some := await stream.read(begun=True):
                events, reads = events + some, reads + 1
    assert events == [b"%d" % number for number in range(100)]
    assert reads < 50


async def test_what_is_kept_in_memory_is_bounded() -> None:
    longest = b"x" * (LONGEST_TEXT - len(b"data: "))
    assert await events_of(b"data: " + longest + b"\n") == [longest]
    assert await events_of(b"y" * LONGEST_TEXT) == [b"y" * LONGEST_TEXT]
    lines = b"y\n" * (LONGEST_TEXT // 2 + 1)
    for more in (b"data: " + longest + b"x", b"y" * LONGEST_TEXT + b"y", lines):
        with pytest.raises(ModelError, match="longer than any"):
            await events_of(more)


async def test_a_list_is_read_below_its_limit_and_only_where_it_is() -> None:
    for body, most, read in ((b"list", 5, True), (b"list", 4, False), (b"", 5, False)):
        async with served([body] if body else []) as base, opened(base) as http:
            if read:
                assert await http.get(f"{base}/models", {}, most=most) == body
                continue
            with pytest.raises(ModelError, match="has no list"):
                await http.get(f"{base}/models", {}, most=most)
    for status in ("302 Found", "404 Not Found"):
        async with served([b"list"], status) as gone, opened(gone) as http:
            with pytest.raises(ModelError, match="has no list"):
                await http.get(f"{gone}/models", {}, most=99)
        async with opened(gone) as http:
            with pytest.raises(ModelError, match="does not answer"):
                await http.get(f"{gone}/models", {}, most=99)


# Connections that are kept between two questions.

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
        await reader.readexactly(_length(head.lower()))
        asked += 1
        writer.write(ANSWER)
        writer.close()

    server = await asyncio.start_server(answer_and_close, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, opened(base) as http:
        for n in range(1, 6):
            async with http.stream(Address("local", base), {"n": n}) as events:
                while await events.read(begun=True):
                    pass
            assert asked == n, "each question came once"
            time.sleep(0.01)  # noqa: ASYNC251  # the end comes while the loop does not look
