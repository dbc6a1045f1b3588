"""Stand-ins for the models of autumn 2026, over real sockets, as their makers describe them.

Claude 5 thinks unasked, before its words and inside ``max_tokens``; takes no temperature but 1;
Opus 5.5 takes no ``thinking: disabled``. Its cache keeps what ends at a ``cache_control`` mark, for
five minutes at 1.25 times the price or for an hour at twice. GPT-5.6 keeps only what ends at an
explicit breakpoint (else at the end of the newest message), written at 1.25 times the price, and
matches well only with a cache key. Both give the same review: every seat approves.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tools.bench.provider import answer

LEAST = 1024
"""The tokens of the shortest prefix that a cache keeps."""
_CHARS = 4
Body = dict[str, Any]
EFFORTS = ("low", "medium", "high", "xhigh", "max")


class Refused(Exception):
    """The model refuses a request with status 400."""


@dataclass
class Thinking:
    """The state of a stand-in. ``thinks`` is the number of tokens that each answer is preceded
    by; ``refuse`` may answer a request with an error; ``lists`` makes the list of models, and
    ``says`` an answer's fields.
    """

    thinks: int = 0
    refuse: Callable[[Body], web.Response | None] = lambda _body: None
    lists: Callable[[], web.Response] = lambda: web.json_response({"data": []})
    says: Callable[[Body, int], Mapping[str, Any]] | None = None
    base: str = ""
    requests: list[Body] = field(default_factory=list)
    usages: list[dict[str, Any]] = field(default_factory=list)
    cut: int = 0
    """Answers that ended at their limit."""
    kept: set[tuple[str, str]] = field(default_factory=set)

    async def claude(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        if (refused := self.refuse(body)) is not None:
            return refused
        try:
            _check_claude(body)
        except Refused as error:
            problem = {"type": "invalid_request_error", "message": str(error)}
            return web.json_response({"type": "error", "error": problem}, status=400)
        schema = body.get("output_config", {}).get("format", {}).get("schema", {})
        words, written, ended = self._words(body, schema, body["max_tokens"])
        blocks = [*body.get("system", ()), *(b for m in body["messages"] for b in m["content"])]
        usage = self._claude_usage(blocks, written)
        self.usages.append(usage)
        thought = [{"type": "thinking", "thinking": "", "signature": "s"}] if self.thinks else []
        answer = [{"type": "text", "text": words}] if words else []
        stop = "max_tokens" if ended else "end_turn"
        whole = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
            "content": [*thought, *answer], "stop_reason": stop, "usage": usage,
        }  # fmt: skip
        if not body.get("stream"):
            return web.json_response(whole)
        begun = {**usage, "output_tokens": 1}
        start = {**whole, "content": [], "stop_reason": None, "usage": begun}
        events: list[Body] = [{"type": "message_start", "message": start}]
        for at, block in enumerate(whole["content"]):
            empty = {**block, "text": ""} if "text" in block else {**block}
            events.append({"type": "content_block_start", "index": at, "content_block": empty})
            if "text" in block:
                piece = {"type": "text_delta", "text": block["text"]}
                events.append({"type": "content_block_delta", "index": at, "delta": piece})
            events.append({"type": "content_block_stop", "index": at})
        end = {"output_tokens": usage["output_tokens"]}
        events.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": end})
        events.append({"type": "message_stop"})
        return await _stream(request, [json.dumps(event) for event in events])

    async def listed(self, _: web.Request) -> web.Response:
        return self.lists()

    async def gpt(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        if (refused := self.refuse(body)) is not None:
            return refused
        if "temperature" in body or "max_tokens" in body:
            error = {"message": "Unsupported parameter: 'max_tokens', 'temperature'", "code": None}
            return web.json_response({"error": error}, status=400)
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        words, written, ended = self._words(body, schema, body["max_completion_tokens"])
        usage = self._gpt_usage(body, written)
        self.usages.append(usage)
        stop = "length" if ended else "stop"
        named: Body = {"id": "c1", "model": body["model"], "created": 1}
        if not body.get("stream"):
            message = {"role": "assistant", "content": words or None}
            choice = {"index": 0, "message": message, "finish_reason": stop}
            return web.json_response({**named, "choices": [choice], "usage": usage})
        delta = {"index": 0, "delta": {"content": words}, "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": stop}
        chunks: list[Body] = [{"choices": [delta]}, {"choices": [last]}]
        chunks.append({"choices": [], "usage": usage})
        return await _stream(request, [*(json.dumps(named | c) for c in chunks), "[DONE]"])

    def _words(self, body: Body, schema: Body, limit: int) -> tuple[str, int, bool]:
        """Returns the words of an answer, the tokens it takes, and whether it was cut."""
        number = len(self.requests)
        fields = self.says(body, number) if self.says else answer(schema, number)
        text = json.dumps({k: v[:800] if k == "text" else v for k, v in fields.items()})
        left = limit - self.thinks
        if left <= 0:
            self.cut += 1
            return "", limit, True
        if len(text) > left * _CHARS:
            self.cut += 1
            return text[: left * _CHARS], limit, True
        return text, self.thinks + len(text) // _CHARS, False

    def _claude_usage(self, blocks: list[Body], written: int) -> dict[str, Any]:
        total = cached = kept = long = 0
        prefix, marks = "", list[tuple[str, int, bool]]()
        for block in blocks:
            prefix += json.dumps(block.get("text", block.get("content", "")))
            total += len(str(block.get("text", ""))) // _CHARS
            if mark := block.get("cache_control"):
                marks.append((prefix, total, mark.get("ttl") == "1h"))
        for text, size, _ in marks:
            if ("", text) in self.kept and size >= LEAST:
                cached = size
        at = cached
        for text, size, hour in marks:
            if size > at and size >= LEAST:
                kept += size - at
                long += size - at if hour else 0
                at = size
                self.kept.add(("", text))
        minutes = {"ephemeral_1h_input_tokens": long, "ephemeral_5m_input_tokens": kept - long}
        return {
            "input_tokens": total - cached - kept,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": kept,
            "cache_creation": minutes,
            "output_tokens": written,
        }

    def _gpt_usage(self, body: Body, written: int) -> dict[str, Any]:
        key, total, prefix = str(body.get("prompt_cache_key", "")), 0, ""
        ends, explicit = list[tuple[str, int]](), list[tuple[str, int]]()
        for message in body["messages"]:
            content = message["content"]
            for block in content if isinstance(content, list) else [{"text": content or ""}]:
                prefix += json.dumps([message["role"], block.get("text", "")])
                total += len(block.get("text", "")) // _CHARS
                if "prompt_cache_breakpoint" in block:
                    explicit.append((prefix, total))
            ends.append((prefix, total))
        if body.get("prompt_cache_options", {}).get("mode") != "explicit":
            explicit = [*explicit, ends[-1]]
        cached = max(
            (n for text, n in explicit if (key, text) in self.kept and n >= LEAST), default=0
        )
        kept = max((n for _, n in explicit if n >= LEAST), default=0) - cached
        self.kept |= {(key, text) for text, n in explicit[-4:] if n >= LEAST}
        details = {"cached_tokens": cached, "cache_write_tokens": max(kept, 0)}
        return {
            "prompt_tokens": total,
            "completion_tokens": written,
            "total_tokens": total + written,
            "prompt_tokens_details": details,
            "completion_tokens_details": {"reasoning_tokens": self.thinks},
        }


def _check_claude(body: Body) -> None:
    """Raises ``Refused`` for what Claude 5 does not take."""
    if body.get("temperature", 1) != 1:
        raise Refused("`temperature` may only be set to 1 for this model.")
    thinking = body.get("thinking", {}).get("type")
    if thinking == "disabled" and "opus-5-5" in body["model"]:
        raise Refused("thinking: disabled is not supported for this model.")
    if thinking == "enabled":
        raise Refused("thinking.budget_tokens is not supported for this model.")
    if body.get("output_config", {}).get("effort", "high") not in EFFORTS:
        raise Refused("output_config.effort: unknown level")


async def _stream(request: web.Request, data: list[str]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for one in data:
        await response.write(f"data: {one}\n\n".encode())
    return response


@asynccontextmanager
async def thinking(
    state: Thinking | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Thinking]:
    """Runs the stand-in on a free port of the loopback; it is an HTTP proxy as well."""
    state = state or Thinking()
    app = web.Application()
    app.router.add_post("/v1/messages", state.claude)
    app.router.add_post("/v1/chat/completions", state.gpt)
    for path in ("/v1/models", "/v1/models/{model:.*}"):
        app.router.add_get(path, state.listed)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    port = runner.addresses[0][1]
    state.base = f"https://localhost:{port}" if tls else f"http://127.0.0.1:{port}"
    try:
        yield state
    finally:
        await runner.cleanup()
