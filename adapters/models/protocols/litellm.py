"""Providers with other protocols (Bedrock, Vertex, Cohere …), through litellm, which is slow to
import; its retries, logs and look-ups are switched off here.

It is imported on first use and in a thread (seconds, 190 MiB), with its tables read from its own
files and not from the network. It retries nothing, prints nothing, logs nothing; its exceptions are
sorted by ``faults`` and their texts struck through. Its streams cost sixty times what a whole
answer costs, so an answer is streamed only if someone watches its words.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from adapters.models import faults, limits
from adapters.models.catalogue import keys
from adapters.models.catalogue.prices import Facts, family
from adapters.models.catalogue.providers import address_of, provider
from adapters.models.exchange import BROKE_OFF, ModelAnswer, ModelRequest, ToolCall, plausible
from adapters.models.prose import Prose
from adapters.models.protocols.openai import CONTROL, COUNTED, blocks, bound, most_tokens, searched
from adapters.models.tokens import TokenCounts, completed
from adapters.network.vendors import allow_vendors, hold_httpx
from core.debate.errors import ModelError, ModelFailure

SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",
    "REPEATED_STREAMING_CHUNK_LIMIT": "1000000",
}
"""Without the first two it fetches tables from the web. Without the third it obeys the ``.env``
file that it finds nearest above its own package folder: that of the repository in which someone
made a virtual environment. Without the last it gives up if a stream repeats the same piece a
hundred times, as a table's dashes do.
"""

_EFFORT = ("google", "openai", "xai")
"""Makers whose models take the option to think little; it would make others' think."""
_importing = threading.Lock()


class VendorError(Exception):
    """The error that the vendor's library raised, with secrets struck out; it is the cause of our
    error.
    """


def library() -> Any:
    """litellm, imported and silenced. Blocks for seconds the first time: call it in a thread."""
    with _importing:
        os.environ |= SETTINGS
        hold_httpx()
        module: Any = importlib.import_module("litellm")
        module.suppress_debug_info = True
        module.telemetry = False
        module.disable_aiohttp_transport = (
            True  # its sessions outlive the event loop that made them
        )
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        return module


class LiteLLM:
    """One model by litellm's name. ``env`` holds keys and base addresses; ``maker`` is its family
    if its name does not tell.
    """

    def __init__(
        self,
        name: str,
        facts: Facts,
        env: Mapping[str, str],
        *,
        clean: faults.Redact,
        maker: str = "",
    ) -> None:
        self._name = name
        self._family = maker or family(name)
        self._facts = facts
        self._env = env
        self._clean = clean

    async def ask(self, question: ModelRequest, prose: Prose) -> ModelAnswer:
        module = await asyncio.to_thread(library)
        self._allow()
        request = self._request(question, streamed=prose.watched)
        try:
            whole = await module.acompletion(**request)
            ended = True
            if prose.watched:
                chunks = [chunk async for chunk in _shown(whole, prose)]
                ended = getattr(whole, "received_finish_reason", None) is not None
                whole = module.stream_chunk_builder(chunks, messages=request["messages"])
        except Exception as error:  # noqa: BLE001  litellm raises classes of many libraries; all are sorted by status and wording
            raise self._fault(error) from VendorError(
                f"{type(error).__name__}: {self._clean(str(error))}"
            )
        tokens = _tokens(getattr(whole, "usage", None))
        answered = whole is not None and whole.choices
        if tokens is not None or answered:
            written = len(whole.choices[0].message.content or "") if answered else 0
            prose.spent.append(
                completed(tokens, {"messages": request["messages"]}, written, whole=ended)
            )
        if tokens is not None and not answered:
            return ModelAnswer("", "stop", tokens)
        if not ended or not answered:
            raise faults.model_error(ModelFailure.PROVIDER_DOWN, self._name, BROKE_OFF)
        limits.hear(200, _headers(whole))
        return _answer(whole, tokens)

    def _request(self, question: ModelRequest, *, streamed: bool) -> dict[str, Any]:
        asking, facts = question.asking, self._facts
        mark = None
        if self._family == "anthropic":
            mark = CONTROL
        request: dict[str, Any] = {
            "model": self._name,
            "messages": [*blocks(question.messages, mark), *searched(question)],
            "max_tokens": most_tokens(asking, facts),
            "timeout": asking.timeout,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
        }
        if streamed:
            request |= {"stream": True, **COUNTED}
        if facts.thinking:
            if self._family in _EFFORT:
                request["reasoning_effort"] = "low"
        elif asking.temperature is not None:
            request["temperature"] = asking.temperature
        if question.tools:
            request |= {
                "tools": [*question.tools],
                "_skip_mcp_handler": True,
            }  # its gateway for MCP tools would need another package
            if question.last:
                request["tool_choice"] = "none"
        elif asking.schema is not None and facts.schema:
            request["response_format"] = bound("json_schema", asking.schema)
        return request | self._access()

    def _access(self) -> dict[str, Any]:
        """Returns the key and the address, if litellm would not find them by itself."""
        name, access = self._facts.provider, dict[str, Any]()
        if (key := keys.key_of(name, self._env)) and key not in keys.OTHERS.get(name, ()):
            access["api_key"] = self._env[key]
        if row := provider(name):
            base, variable = address_of(name, row, self._env)
            return access | ({"api_base": base} if self._env.get(variable) else {})
        for variable in (f"{name.upper()}_API_BASE", f"{name.upper()}_BASE_URL"):
            if base := self._env.get(variable, ""):
                return access | {"api_base": base}
        return access

    def _allow(self) -> None:
        """Allows the hosts of all addresses in the environment, because the operator set them."""
        for value in self._env.values():
            if value.startswith(("https://", "http://")):
                allow_vendors(urlsplit(value).hostname or "")

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
        key = (keys.names_of(self._facts.provider) or ("",))[0]
        known = None
        if isinstance(status, int) and not (made_up and status >= 500):
            known = int(status)
        if known is not None:
            limits.hear(known, dict(headers))
        return faults.fault(
            self._name, known, text, headers=dict(headers), key=key, clean=self._clean
        )


async def _shown(stream: Any, prose: Prose) -> Any:
    async for chunk in stream:
        if chunk.choices and (piece := chunk.choices[0].delta.content):
            prose.feed(piece)
        yield chunk


def _headers(whole: Any) -> dict[str, str]:
    """Returns the provider's own headers, which litellm keeps under a prefix."""
    hidden = getattr(whole, "_hidden_params", None) or {}
    kept = hidden.get("additional_headers") or {}
    return {str(k).removeprefix("llm_provider-"): str(v) for k, v in kept.items()}


def _tokens(usage: Any) -> TokenCounts | None:
    """Returns the provider's counts; the library writes zeros if there are none."""
    details = getattr(usage, "prompt_tokens_details", None)
    prompt, cached, written, completion = (
        int(plausible(getattr(counts, name, 0)) or 0)
        for counts, name in (
            (usage, "prompt_tokens"),
            (details, "cached_tokens"),
            (details, "cache_creation_tokens"),
            (usage, "completion_tokens"),
        )
    )
    if not prompt and not completion:
        return None
    return TokenCounts(prompt, cached, written, completion)


def _answer(whole: Any, tokens: TokenCounts | None) -> ModelAnswer:
    choice = whole.choices[0]
    calls = tuple(
        ToolCall(c.id, c.function.name or "", c.function.arguments or "")
        for c in choice.message.tool_calls or ()
    )
    return ModelAnswer(
        choice.message.content or "",
        choice.finish_reason or "",
        tokens,
        calls,
        str(whole.id or ""),
        str(whole.model or ""),
    )
