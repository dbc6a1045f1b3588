"""A packed body is refused before it is read, and nothing of it is ever unpacked on the loop."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp.compression_utils import ZLibDecompressor

from tests.bot.room.serving import served
from tests.patience import PATIENCE

PATHS = {
    "/github/events": 415,
    **dict.fromkeys(("/press", "/new", "/mcp", "/api/v1/debates"), 401),
    **dict.fromkeys(("/healthz", "/slack/events", "/nowhere", "/sign-in"), 405),
}
"""Addresses, each with the status of a stranger's packed body."""
ENCODINGS = ("gzip", "x-gzip", "deflate", "br", "zstd", "gzip, gzip", "GZIP")


async def exchanged(address: str, head: str, body: bytes = b"") -> bytes:
    """Sends one request and returns all that the server answers until it closes the connection."""
    url = urlsplit(address)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    try:
        async with asyncio.timeout(PATIENCE):
            writer.write(head.encode() + body)
            return await reader.read()
    finally:
        writer.close()


def head(path: str, encoding: str, length: int) -> str:
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Encoding: {encoding}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n"
    )


async def test_a_packed_body_is_refused_before_it_is_there(tmp_path: Path) -> None:
    async with served(tmp_path, GITHUB_WEBHOOK_SECRET="s3cret-s3cret") as room:
        paths = [(path, encoding) for path in PATHS for encoding in ENCODINGS]
        heads = [head(path, encoding, 1_000_000) for path, encoding in paths]
        every = [exchanged(room.bot.address, one, b"\x1f\x8b") for one in heads]
        for (path, _), answer in zip(paths, await asyncio.gather(*every), strict=True):
            assert answer.startswith(b"HTTP/1.1 %d " % PATHS[path]), (path, answer[:80])
            assert b"Connection: close" in answer
        assert (await room.get("/"))[0] == 200


async def test_what_is_sent_along_is_not_unpacked_after_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's own decompressor says how many bytes it made: none."""
    made: list[int] = []
    unpack = ZLibDecompressor.decompress_sync

    def counted(self: ZLibDecompressor, *args: object, **kwargs: object) -> bytes:
        unpacked = unpack(self, *args, **kwargs)  # type: ignore[arg-type]  # passed on as it came
        made.append(len(unpacked))
        return unpacked

    packed = gzip.compress(bytes(4_000_000), 9) * 100
    async with served(tmp_path, GITHUB_WEBHOOK_SECRET="s3cret-s3cret") as room:
        monkeypatch.setattr(ZLibDecompressor, "decompress_sync", counted)
        for path, status in PATHS.items():
            sent = exchanged(room.bot.address, head(path, "gzip", len(packed)), packed)
            answer = await sent  # nothing if the bot hung up
            assert answer.startswith(b"HTTP/1.1 %d " % status) or not answer
        assert made == []
        assert (await room.get("/"))[0] == 200
