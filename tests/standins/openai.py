"""A stand-in for providers over a real socket: OpenAI's protocol with streams, usage, tool calls
and every way to fail, and any other provider's answers byte for byte.

Put answers into ``answers``; they are used up one per request, the last one for ever. ``requests``
keeps what was asked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.standins.serving import serving


@dataclass(frozen=True)
class Say:
    """A good answer, streamed in ``pieces`` with ``pause`` seconds between them."""

    pieces: tuple[str, ...] = ("Hello", " there.")
    pause: float = 0.0
    finish: str = "stop"
    usage: Any = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    )
    calls: tuple[tuple[str, str], ...] = ()  # (tool, arguments)


@dataclass(frozen=True)
class Fail:
    """An error answer before any word."""

    status: int
    message: str = "no"
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """Half an answer, then the connection breaks (``clean``: it ends as if all had been said,
    without a last chunk).
    """

    clean: bool = False


@dataclass(frozen=True)
class Garbage:
    """A body that is no stream at all."""


@dataclass(frozen=True)
class Silence:
    """Accepts the request and never answers."""

    seconds: float = 30.0


@dataclass(frozen=True)
class Raw:
    """These bytes and no others, in ``pieces`` with ``pause`` seconds between them; with ``stall``
    the last is followed by that much silence, with ``drop`` by the end of the connection.
    """

    pieces: tuple[bytes, ...]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0
    stall: float = 0.0
    drop: bool = False


TWO_MODELS = "openai/gpt-4.1,openai/gpt-4.1-mini"
Answer = Say | Fail | Cut | Garbage | Silence | Raw


class OpenAI:
    """The stand-in's state. ``base`` is its address, with the ``/v1``."""

    def __init__(self) -> None:
        self.answers: list[Answer] = [Say()]
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.base = ""
        self.paths: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        self.models = ["local-model"]
        self.listed: list[dict[str, Any]] = []
        """Rows of the list of models, instead of bare names."""
        self.info: list[dict[str, Any]] = []
        """Rows of LiteLLM's list of what it knows of models; there is none without any."""
        self.refuses = 0
        """The status with which the list of models is refused, if not 0."""

    def settings(self, models: str = "openai/gpt-4.1") -> dict[str, Any]:
        """Returns the environment of a bot whose models are these."""
        return {
            "DEBATE_MODELS": models,
            "OPENAI_API_KEY": "sk-test-0123456789abcdef",
            "OPENAI_API_BASE": self.base,
        }

    async def chat(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        self.keys.append(request.headers.get("Authorization", ""))
        self.paths.append(request.path_qs)
        self.headers.append(request.headers)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        match answer:
            case Say():
                return await self._say(request, answer)
            case Fail():
                body = {
                    "error": {
                        "message": answer.message,
                        "type": "error",
                        "code": answer.code or None,
                    }
                }
                return web.json_response(body, status=answer.status, headers=dict(answer.headers))
            case Cut():
                return await self._cut(request, answer)
            case Garbage():
                return web.Response(body=b"\x00\xff<html>not json", content_type="text/html")
            case Silence():
                await asyncio.sleep(answer.seconds)
                return web.Response(status=500)
            case Raw():
                return await _raw(request, answer)

    async def list(self, request: web.Request) -> web.Response:
        self.keys.append(request.headers.get("Authorization", ""))
        self.paths.append(request.path_qs)
        if self.refuses:
            return web.json_response({"error": {"message": "no"}}, status=self.refuses)
        rows = self.listed or [{"id": m} for m in self.models]
        return web.json_response({"object": "list", "data": rows})

    async def known(self, request: web.Request) -> web.Response:
        self.paths.append(request.path_qs)
        if not self.info:
            raise web.HTTPNotFound
        return web.json_response({"data": self.info})

    async def tags(self, _: web.Request) -> web.Response:
        return web.json_response({"models": [{"name": m} for m in self.models]})

    async def _say(self, request: web.Request, say: Say) -> web.StreamResponse:
        if not self.requests[-1].get("stream"):
            return web.json_response(_whole(say))
        response = await _open(request)
        for piece in say.pieces if not say.calls else ():
            await _send(
                response,
                [
                    {
                        "index": 0,
                        "delta": {"role": "assistant", "content": piece},
                        "finish_reason": None,
                    }
                ],
            )
            if say.pause:
                await asyncio.sleep(say.pause)
        for number, (name, arguments) in enumerate(say.calls):
            call = {
                "index": number,
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            await _send(
                response,
                [
                    {
                        "index": 0,
                        "delta": {"role": "assistant", "tool_calls": [call]},
                        "finish_reason": None,
                    }
                ],
            )
        await _send(
            response,
            [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if say.calls else say.finish}],
        )
        if say.usage is not None:
            await _send(response, [], usage=say.usage)
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _cut(self, request: web.Request, cut: Cut) -> web.StreamResponse:
        response = await _open(request)
        await _send(
            response,
            [
                {
                    "index": 0,
                    "delta": {"role": "assistant", "content": "Half an ans"},
                    "finish_reason": None,
                }
            ],
        )
        if not cut.clean and request.transport:
            request.transport.close()
        return response


async def _raw(request: web.Request, raw: Raw) -> web.StreamResponse:
    response = web.StreamResponse(status=raw.status, headers=dict(raw.headers))
    await response.prepare(request)
    for piece in raw.pieces:
        await response.write(piece)
        if raw.pause:
            await asyncio.sleep(raw.pause)
    if raw.stall:
        await asyncio.sleep(raw.stall)
    if raw.drop and request.transport:
        request.transport.close()
    return response


def _whole(say: Say) -> dict[str, Any]:
    """Returns the answer to a request that is not streamed."""
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for number, (name, arguments) in enumerate(say.calls)
    ]
    words = {"role": "assistant", "content": None if calls else "".join(say.pieces)}
    message = words | ({"tool_calls": calls} if calls else {})
    ended = "tool_calls" if calls else say.finish
    choices = [{"index": 0, "message": message, "finish_reason": ended}]
    return _chunk(choices) | {"object": "chat.completion", "usage": say.usage}


def _chunk(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "stand-in",
        "choices": choices,
    }


async def _open(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    return response


async def _send(response: web.StreamResponse, choices: list[dict[str, Any]], **more: Any) -> None:
    await response.write(b"data: " + json.dumps(_chunk(choices) | more).encode() + b"\n\n")


@asynccontextmanager
async def openai(state: OpenAI | None = None) -> AsyncIterator[OpenAI]:
    """Runs the stand-in on a free port of the loopback; it also answers as LM Studio, llama-server
    and Ollama do when asked for models.
    """
    state = state or OpenAI()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", state.chat)
    app.router.add_get("/v1/models", state.list)
    app.router.add_get("/v1/model/info", state.known)
    app.router.add_get("/api/tags", state.tags)
    app.router.add_post("/{tail:.*}", state.chat)
    async with serving(app) as origin:
        state.base = f"{origin}/v1"
        yield state
