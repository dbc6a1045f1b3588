"""A small client for servers that speak OpenAI's chat protocol on this machine: the embedded child
and detected local servers.

They need neither keys nor prices nor a provider's dialect, so they do without litellm's import. One
request, streamed, never retried.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from adapters.models import faults
from adapters.models.prices import family
from adapters.models.words import Prose
from core.ports import CallOptions, Message, OnWords, Reply, Usage

LONGEST_LINE = 1 << 20
"""Bytes of one event of the stream. More is not a language model talking."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One finished answer of a server."""

    text: str
    ended: str
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    id: str
    model: str


class LocalServer:
    """A model on a detected local server.

    ``name`` is ``ollama/...``, ``lm_studio/...`` or ``llama_server/...``; it costs nothing.
    """

    demo = False

    def __init__(self, name: str, base: str, *, window: int, clean: faults.Redact) -> None:
        self.name = name
        self.family = family(name)
        self.window = window
        self._base = base
        self._clean = clean

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        started = time.monotonic()
        body = request(self.name.partition("/")[2], messages, asking)
        if asking.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": dict(asking.schema)},
            }
        try:
            async with asyncio.timeout(asking.timeout):
                spoken = await speak(
                    self.name, self._base, body, Prose(on_words), clean=self._clean
                )
        except TimeoutError as error:
            raise faults.said(
                "timeout", self.name, f"no answer within {asking.timeout:g} s"
            ) from error
        if not spoken.text.strip():
            raise faults.said("bad_reply", self.name, "the answer is empty")
        usage = used(spoken, sum(len(m.text) for m in messages), time.monotonic() - started)
        return Reply(spoken.text, usage, self.name, spoken.id)


def request(model: str, messages: Sequence[Message], asking: CallOptions) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": m.role, "content": m.text} for m in messages],
        "max_tokens": asking.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return body if asking.temperature is None else body | {"temperature": asking.temperature}


def used(spoken: Answered, chars: int, seconds: float) -> Usage:
    return Usage(
        spoken.prompt_tokens,
        spoken.cached_tokens,
        spoken.completion_tokens,
        0.0,
        chars,
        round(seconds, 3),
    )


async def speak(
    name: str,
    base: str,
    body: Mapping[str, Any],
    prose: Prose,
    *,
    key: str = "",
    clean: faults.Redact,
) -> Answered:
    """Sends one request and reads its stream to the end.

    Raises ``ModelError``; sets no time limit of its own.
    """
    ended, id, model, usage = "", "", "", dict[str, Any]()
    async for event in _events(name, base, body, key, clean):
        id, model = id or str(event.get("id", "")), model or str(event.get("model", ""))
        usage = event.get("usage") or usage
        for choice in event.get("choices") or ():
            prose.feed((choice.get("delta") or {}).get("content") or "")
            ended = choice.get("finish_reason") or ended
    if not ended:
        raise faults.said("provider_down", name, "the answer broke off")
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return Answered(
        prose.text,
        ended,
        usage.get("prompt_tokens") or 0,
        cached,
        usage.get("completion_tokens") or 0,
        id,
        model,
    )


async def _events(
    name: str, base: str, body: Mapping[str, Any], key: str, clean: faults.Redact
) -> AsyncIterator[dict[str, Any]]:
    import aiohttp

    try:
        async with _opened(base, body, key) as response:
            if response.status != 200:
                text = (await response.content.read(4000)).decode(errors="replace")
                raise faults.fault(
                    name, response.status, text, headers=response.headers, clean=clean
                )
            async for line in response.content:
                if line.startswith(b"data:") and (data := line[5:].strip()) != b"[DONE]":
                    event = json.loads(data)
                    if "error" in event:
                        raise faults.fault(name, None, str(event["error"]), clean=clean)
                    yield event
    except (aiohttp.ClientError, OSError) as error:
        if isinstance(error, TimeoutError):
            raise
        raise faults.said("provider_down", name, clean(str(error))) from error
    except ValueError as error:
        raise faults.said("bad_reply", name, "the answer is no event stream") from error


@asynccontextmanager
async def _opened(base: str, body: Mapping[str, Any], key: str) -> AsyncIterator[Any]:
    import aiohttp

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=5)
    async with (
        aiohttp.ClientSession(
            timeout=timeout, headers=headers, read_bufsize=LONGEST_LINE
        ) as session,
        session.post(f"{base}/chat/completions", json=body) as response,
    ):
        yield response
