"""A provider in a separate process: speaks OpenAI's chat protocol, streams 600 pieces an answer,
answers by the schema of the request, and remembers when it had sent each answer: ``python -m
tools.bench.provider SECONDS [stream]``.

It prints its port. With ``stream`` it streams every answer, also if the request did not ask for a
stream. ``GET /calls`` returns the requests so far, and forgets them.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import sys
import time
from dataclasses import asdict, dataclass, field
from typing import Any

import msgspec

PIECES = 600
CHARACTERS = 2400
"""Of the words of an answer: 600 tokens."""
WORDS = "the cache is warmed once and shared by every worker of the pool so a stale entry lives on "
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


@dataclass(slots=True)
class Asked:
    """One request: a digest of its prompt, when it came, when its answer had left whole (0: not
    yet), on the machine's monotonic clock.
    """

    prompt: str
    came: float
    left: float = 0.0
    characters: int = 0


@dataclass(slots=True)
class Provider:
    """``seconds`` is how long an answer takes, from its first piece to its last."""

    seconds: float
    stubborn: bool = False
    requests: list[Asked] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if head.startswith(b"GET"):
                    await _whole(writer, json.dumps([asdict(a) for a in self.requests]).encode())
                    self.requests.clear()
                    continue
                body = await reader.readexactly(_length(head))
                await self._answer(body, writer)
        writer.close()

    async def _answer(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        request = msgspec.json.decode(body)
        prompt = json.dumps(request["messages"])
        entry = Asked(hashlib.sha256(prompt.encode()).hexdigest(), time.monotonic())
        entry.characters = sum(len(m["content"]) for m in request["messages"])
        self.requests.append(entry)
        schema = request.get("response_format", {}).get("json_schema", {}).get("schema", {})
        text = json.dumps(answer(schema, len(self.requests)))
        counts = {"prompt_tokens": len(prompt) // 4, "completion_tokens": 600, "total_tokens": 0}
        if self.stubborn or request.get("stream"):
            await self._stream(text, counts, writer)
        else:
            await asyncio.sleep(self.seconds)
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            await _whole(writer, json.dumps(_event([choice], usage=counts)).encode())
        entry.left = time.monotonic()

    async def _stream(self, text: str, counts: Any, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        size = -(-len(text) // PIECES)
        pieces = [text[i : i + size] for i in range(0, len(text), size)]
        writer.write(SSE)
        begun = loop.time()
        for number, piece in enumerate(pieces, start=1):
            choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
            if writer.is_closing():
                raise ConnectionResetError
            writer.write(_chunk(_event([choice], obfuscation="abcdefgh")))
            await asyncio.sleep(begun + self.seconds * number / len(pieces) - loop.time())
        end = {"index": 0, "delta": {}, "finish_reason": "stop"}
        writer.write(_chunk(_event([end])) + _chunk(_event([], usage=counts)))
        writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
        await writer.drain()


def _event(choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
    return head | {"system_fingerprint": "fp_1", "choices": choices} | more


def _chunk(event: dict[str, Any]) -> bytes:
    data = b"data: " + msgspec.json.encode(event) + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(data), data)


async def _whole(writer: asyncio.StreamWriter, body: bytes) -> None:
    writer.write(JSON % len(body) + body)
    await writer.drain()


def _length(head: bytes) -> int:
    lines = head.lower().split(b"\r\n")
    return int(next(x for x in lines if x.startswith(b"content-length:")).partition(b":")[2])


def answer(schema: dict[str, Any], n: int) -> dict[str, Any]:
    """Returns a reply in the shape of the schema: 2,400 characters of words, other values short."""
    properties = schema.get("properties", {})
    reply = {name: value(part, n) for name, part in properties.items()}
    return reply | {"text": (WORDS * 30)[:CHARACTERS]}


def value(schema: dict[str, Any], n: int) -> Any:
    """Returns a value that fits; ``n`` decides which of several."""
    if "enum" in schema:
        return schema["enum"][n % len(schema["enum"])]
    match schema.get("type"):
        case "string":
            return f"{n}: {WORDS}"[:90]
        case "number":
            return 0.7
        case "integer":
            return n
        case "array":
            return [value(schema["items"], n + i) for i in range(2)]
        case _:
            return {name: value(part, n) for name, part in schema.get("properties", {}).items()}


async def main(seconds: float, stubborn: bool) -> None:
    provider = Provider(seconds, stubborn)
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0, limit=1 << 22)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(float(sys.argv[1]), "stream" in sys.argv[2:]))
