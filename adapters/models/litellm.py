"""Every hosted provider, through litellm, which is slow to import and has habits of its own; all of
them are switched off here.

It is imported on first use and in a thread (seconds, 190 MiB), with its tables read from its own
files and not from the network. It retries nothing, prints nothing, logs nothing; its exceptions are
sorted by ``faults`` and their texts struck through.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adapters.models import faults, keys, search
from adapters.models.prices import Facts, family
from adapters.models.words import Prose
from core.budget import SEARCHING
from core.errors import ModelError
from core.ports import CallOptions, Message, OnWords, Reply, Usage

ROUNDS = SEARCHING
"""Requests for one reply at most: three with searches, and one that must answer.

Budgets count on it.
"""
CACHE_MARKS = 4
"""Anthropic accepts this many cache marks in a request."""

OFFLINE = ("LITELLM_LOCAL_MODEL_COST_MAP", "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS")
"""Without these it fetches tables from the web: one at import, one at the first call of Anthropic.
"""

NO_DOTENV = {"LITELLM_MODE": "PRODUCTION"}
"""Without it it obeys the ``.env`` file that it finds nearest above its own package folder: that of
the repository in which somebody made a virtual environment.
"""

_importing = threading.Lock()


class VendorError(Exception):
    """What the vendor's library raised, with secrets struck out: kept as the cause of our own
    error.
    """


def library() -> Any:
    """litellm, imported and silenced. Blocks for seconds the first time: call it in a thread."""
    with _importing:
        os.environ |= dict.fromkeys(OFFLINE, "True") | NO_DOTENV
        module: Any = importlib.import_module("litellm")
        module.suppress_debug_info = True
        module.telemetry = False
        module.disable_aiohttp_transport = (
            True  # its sessions outlive the event loop that made them
        )
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        return module


async def warm() -> None:
    """Imports litellm in the background, so that the first turn does not wait for it."""
    await asyncio.to_thread(library)


@dataclass(slots=True)
class _Round:
    """One request and its answer.

    ``calls`` are (id, name, arguments) of the tools that the model wants.
    """

    text: str
    ended: str
    usage: Usage
    calls: list[tuple[str, str, str]]
    request_id: str
    model: str


class Hosted:
    """One model of one provider, by litellm's name.

    ``env`` holds keys and base addresses; ``find`` is set when search is enabled.
    """

    demo = False

    def __init__(
        self,
        name: str,
        facts: Facts,
        env: Mapping[str, str],
        *,
        clean: faults.Redact,
        find: search.Find | None = None,
        allowance: search.Allowance | None = None,
    ) -> None:
        self.name = name
        self.family = family(name)
        self.window = facts.window
        self._facts = facts
        self._env = env
        self._clean = clean
        self._find = find
        self._allowance = allowance

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        module = await asyncio.to_thread(library)
        started = time.monotonic()
        try:
            async with asyncio.timeout(asking.timeout):
                return await self._converse(module, messages, asking, on_words, started)
        except TimeoutError as error:
            raise faults.said(
                "timeout", self.name, f"no answer within {asking.timeout:g} s"
            ) from error

    async def _converse(
        self,
        module: Any,
        messages: Sequence[Message],
        asking: CallOptions,
        on_words: OnWords | None,
        started: float,
    ) -> Reply:
        searches = self._searches(asking)
        request = self._request(messages, asking, tools=searches is not None)
        chars = sum(len(m.text) for m in messages)
        prompt = "\n".join(m.text for m in messages)
        used = Usage(prompt_chars=chars)
        number = 0
        while True:
            number += 1
            if searches and number == ROUNDS:
                request["tool_choice"] = "none"
            answer = await self._round(module, request, Prose(on_words))
            used = _added(used, answer.usage)
            if not answer.calls or not searches or number == ROUNDS:
                break
            request["messages"] = [*request["messages"], _called(answer)]
            for id, name, arguments in answer.calls:
                found = (
                    await searches.run(arguments, prompt)
                    if name == search.NAME
                    else f"There is no tool called {name!r}."
                )
                request["messages"].append({"role": "tool", "tool_call_id": id, "content": found})
        self._checked(answer)
        usage = replace(used, seconds=round(time.monotonic() - started, 3))
        return Reply(
            answer.text,
            usage,
            answer.model or self.name,
            answer.request_id,
            tuple(searches.sources) if searches else (),
        )

    def _searches(self, asking: CallOptions) -> search.Searches | None:
        if (
            search.NAME not in asking.tools
            or self._find is None
            or self._allowance is None
            or not self._facts.tools
        ):
            return None
        return search.Searches(self._allowance, self._find, self._clean)

    def _request(
        self, messages: Sequence[Message], asking: CallOptions, *, tools: bool
    ) -> dict[str, Any]:
        provider = self._facts.provider
        request: dict[str, Any] = {
            "model": self.name,
            "messages": blocks(messages, marked=self.family == "anthropic"),
            "max_tokens": asking.max_tokens,
            "timeout": asking.timeout,
            "stream": True,
            "stream_options": {"include_usage": True},
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
        }
        if room := self._facts.price.thinking:
            request |= {"reasoning_effort": "low", "max_tokens": asking.max_tokens + room}
        elif asking.temperature is not None:
            request["temperature"] = asking.temperature
        if (key := keys.key_of(provider, self._env)) and provider != "azure":
            request["api_key"] = self._env[key]
        if base := self._env.get(f"{provider.upper()}_API_BASE") or self._env.get(
            f"{provider.upper()}_BASE_URL"
        ):
            request["api_base"] = base
        if tools:
            request |= {
                "tools": [search.TOOL],
                "_skip_mcp_handler": True,
            }  # its gateway for MCP tools would need another package
        elif asking.schema is not None and self._facts.schema:
            schema = {"name": "reply", "schema": dict(asking.schema), "strict": False}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return request

    async def _round(self, module: Any, request: dict[str, Any], prose: Prose) -> _Round:
        chunks: list[Any] = []
        try:
            stream = await module.acompletion(**request)
            async for chunk in stream:
                chunks.append(chunk)
                if chunk.choices and (piece := chunk.choices[0].delta.content):
                    prose.feed(piece)
            whole = module.stream_chunk_builder(chunks, messages=request["messages"])
            usd = (
                module.completion_cost(completion_response=whole, model=self.name)
                if whole and self._facts.known
                else None
            )
        except Exception as error:  # noqa: BLE001  litellm raises classes of many libraries; all are sorted by status and wording
            raise self._fault(error) from VendorError(
                f"{type(error).__name__}: {self._clean(str(error))}"
            )
        if whole is None or getattr(stream, "received_finish_reason", None) is None:
            raise faults.said("provider_down", self.name, "the answer broke off")
        return _settled(whole, usd)

    def _fault(self, error: Exception) -> ModelError:
        status = getattr(error, "status_code", None)
        response = getattr(error, "response", None)
        headers = (
            getattr(error, "litellm_response_headers", None)
            or getattr(response, "headers", None)
            or {}
        )
        made_up = response is None or type(error).__name__ in (
            "InternalServerError",
            "APIConnectionError",
            "MidStreamFallbackError",
        )
        text = str(getattr(error, "message", "") or error).removeprefix("litellm.")
        key = (keys.KEYS.get(self._facts.provider) or ("",))[0]
        known = int(status) if isinstance(status, int) and not (made_up and status >= 500) else None
        return faults.fault(
            self.name, known, text, headers=dict(headers), key=key, clean=self._clean
        )

    def _checked(self, answer: _Round) -> None:
        if answer.ended == "content_filter":
            raise faults.said("refused_by_policy", self.name, "the answer was filtered")
        if not answer.text.strip():
            why = (
                "it used up its tokens before the first word"
                if answer.ended == "length"
                else "the answer is empty"
            )
            raise faults.said("bad_reply", self.name, why)


def blocks(messages: Sequence[Message], *, marked: bool) -> list[dict[str, Any]]:
    """Prompt blocks as litellm takes them.

    Only Anthropic gets cache marks, the last four; others would be sent them as they are.
    """
    allowed = [i for i, m in enumerate(messages) if m.cache][-CACHE_MARKS:] if marked else []
    return [
        {
            "role": m.role,
            "content": [{"type": "text", "text": m.text, "cache_control": {"type": "ephemeral"}}],
        }
        if i in allowed
        else {"role": m.role, "content": m.text}
        for i, m in enumerate(messages)
    ]


def _called(answer: _Round) -> dict[str, Any]:
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": args}}
        for id, name, args in answer.calls
    ]
    return {"role": "assistant", "content": answer.text or None, "tool_calls": calls}


def _settled(whole: Any, usd: float | None) -> _Round:
    choice = whole.choices[0]
    details = getattr(whole.usage, "prompt_tokens_details", None)
    usage = Usage(
        prompt_tokens=whole.usage.prompt_tokens or 0,
        cached_tokens=getattr(details, "cached_tokens", 0) or 0,
        completion_tokens=whole.usage.completion_tokens or 0,
        usd=usd,
    )
    calls = [
        (c.id, c.function.name or "", c.function.arguments or "")
        for c in choice.message.tool_calls or ()
    ]
    return _Round(
        choice.message.content or "",
        choice.finish_reason or "",
        usage,
        calls,
        str(whole.id or ""),
        str(whole.model or ""),
    )


def _added(total: Usage, more: Usage) -> Usage:
    return replace(
        total,
        prompt_tokens=total.prompt_tokens + more.prompt_tokens,
        cached_tokens=total.cached_tokens + more.cached_tokens,
        completion_tokens=total.completion_tokens + more.completion_tokens,
        usd=None if total.usd is None or more.usd is None else total.usd + more.usd,
    )
