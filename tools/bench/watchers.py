"""``python -m tools.bench.watchers PORT PATH COUNT COOKIE``: browsers that follow one debate, in
a separate process. Prints "ready" when all are connected, and ends when its input is closed.
"""

from __future__ import annotations

import asyncio
import sys

ANSWERED = b"HTTP/1.1 200 OK\r\n"


async def watch(
    port: int, path: str, cookie: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"Host: 127.0.0.1:{port}\r\nCookie: {cookie}"
    writer.write(f"GET {path} HTTP/1.1\r\n{head}\r\n\r\n".encode())
    answer = await reader.readuntil(b"\r\n\r\n")
    if not answer.startswith(ANSWERED):
        raise RuntimeError(answer.decode())
    return reader, writer


async def drain(reader: asyncio.StreamReader) -> None:
    while await reader.read(65_536):
        pass


async def main(port: int, path: str, count: int, cookie: str) -> None:
    opened = [await watch(port, path, cookie) for _ in range(count)]
    reading = [asyncio.create_task(drain(reader)) for reader, _ in opened]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    for task in reading:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]))
