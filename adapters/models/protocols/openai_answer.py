"""Reads answers in OpenAI's chat protocol, streamed or whole.

If providers differ (the place of cached tokens, whether thinking is counted with the words, the
names of ends), the known places are tried in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from adapters.models import faults
from adapters.models.exchange import BROKE_OFF, ModelAnswer, usage_at, usd_at
from adapters.models.prose import Prose
from adapters.models.protocols.streaming import AnswerReader
from adapters.models.tokens import TokenCounts
from adapters.models.wire import Address
from core.debate.errors import ModelFailure
from core.debate.stored import stored

CACHED = (
    ("prompt_tokens_details", "cached_tokens"),
    ("prompt_cache_hit_tokens",),
    ("cached_tokens",),
)
"""The places of the count of prompt tokens read from the cache: OpenAI and most, DeepSeek,
Moonshot.
"""
WRITTEN = (("prompt_tokens_details", "cache_write_tokens"), ("cache_creation_input_tokens",))
ENDED = {
    **dict.fromkeys(("end_turn", "eos", "stop_sequence", "completed"), "stop"),
    **dict.fromkeys(
        ("model_length", "max_tokens", "max_output_tokens", "max_new_tokens"), "length"
    ),
    **dict.fromkeys(("model_context_window_exceeded", "incomplete"), "length"),
    **dict.fromkeys(("pause_turn", "pause"), "paused"),
    **dict.fromkeys(("tool_use", "function_call"), "tool_calls"),
    **dict.fromkeys(("safety", "recitation", "prohibited_content", "blocklist"), "content_filter"),
    **dict.fromkeys(("spii", "refusal", "content_filtered"), "content_filter"),
    "guardrail_intervened": "content_filter",
}
"""Other providers' names for the ends of an answer (Mistral, Gemini, Bedrock, gateways)."""
FAILED = ("error", "insufficient_system_resource")
"""Ends that mean a failure (OpenRouter, DeepSeek)."""
DONE = b"[DONE]"


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _Call(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Said(msgspec.Struct):
    content: Any = None
    reasoning_content: str | None = None
    reasoning: Any = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    function_call: _Function | None = None  # as before tools, and still by some gateways


class _Choice(msgspec.Struct):
    delta: _Said | None = None
    message: _Said | None = None
    finish_reason: str | None = None
    usage: Any = None


class _Event(msgspec.Struct):
    id: str | None = None
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: Any = None
    x_groq: dict[str, Any] | None = None
    error: Any = None


_EVENT = msgspec.json.Decoder(_Event)


class OpenAIReader(AnswerReader):
    """``charged`` are the places of the provider's own price."""

    def __init__(
        self, address: Address, prose: Prose, charged: Sequence[Sequence[str]] = ()
    ) -> None:
        super().__init__(address, prose)
        self._charged = charged
        self._usage: Mapping[str, Any] = {}
        self._refused = ""

    def _hear(self, data: bytes) -> None:
        if data == DONE or not data:
            self._done = self._done or data == DONE
            return
        event = self._read(data, _EVENT, "OpenAI's chat protocol")
        if event.error:
            code = None
            if isinstance(event.error, dict):
                code = event.error.get("code")
            raise self._failed(event.error, code if isinstance(code, int) else None)
        self._id = self._id or event.id or ""
        self._model = self._model or event.model or ""
        self._count(event.usage or (event.x_groq or {}).get("usage"))
        self._begun = self._begun or bool(event.choices)
        for choice in event.choices or ():
            self._count(choice.usage)
            self._ended = choice.finish_reason or self._ended
            self._done = self._done or choice.message is not None
            if message := choice.delta or choice.message:
                self._add(message)

    def _count(self, usage: object) -> None:
        """Keeps the latest counts; some gateways send an empty list if they have none."""
        if usage and isinstance(usage, dict):
            self._usage = usage

    def _add(self, delta: _Said) -> None:
        if delta.content:
            self._fresh.append(
                delta.content if isinstance(delta.content, str) else _text(delta.content)
            )
        for thought in (delta.reasoning_content, delta.reasoning):
            self._unseen += len(thought) if isinstance(thought, str) else 0
        self._refused += delta.refusal or _refusal(delta.content)
        calls = list(delta.tool_calls or ())
        if delta.function_call is not None:
            calls.append(_Call(index=0, function=delta.function_call))
        for number, call in enumerate(calls):
            wanted = self._calls.setdefault(
                number if call.index is None else call.index, ["", "", ""]
            )
            wanted[0] = wanted[0] or call.id or ""
            if call.function is not None:
                wanted[1] = wanted[1] or call.function.name or ""
                wanted[2] += call.function.arguments or ""

    def _finished(self) -> ModelAnswer:
        if self._refused:
            raise faults.model_error(
                ModelFailure.REFUSED_BY_POLICY,
                self._address.name,
                self._refused,
                clean=self._address.clean,
            )
        if self._ended in FAILED:
            raise faults.model_error(
                ModelFailure.PROVIDER_DOWN,
                self._address.name,
                stored("it could not finish its answer"),
            )
        empty = not self._begun and self._counted() is not None
        if not (self._ended or empty or (self._done and (self._prose.text or self._calls))):
            raise faults.model_error(ModelFailure.PROVIDER_DOWN, self._address.name, BROKE_OFF)
        reason = self._ended.lower().partition(":")[0]  # Gemini's "content_filter: SAFETY"
        ended = ENDED.get(reason, reason or "stop")
        return self._answer(ended)

    def _counted(self) -> TokenCounts | None:
        """Thinking counts as completion, even if it is only in the total (Gemini, xAI)."""
        usage = self._usage
        prompt, completion = (
            usage_at(usage, (f"{name}_tokens",)) or usage_at(usage, (f"{other}_tokens",))
            for name, other in (("prompt", "input"), ("completion", "output"))
        )
        total = usage_at(usage, ("total_tokens",))
        if not prompt and not completion:
            return None
        charges = [usd for place in self._charged if (usd := usd_at(usage, place)) is not None]
        cached = next((n for place in CACHED if (n := usage_at(usage, place))), 0)
        written = next((n for place in WRITTEN if (n := usage_at(usage, place))), 0)
        if cached + written > prompt:  # counted beside it, as Anthropic does
            prompt += cached + written
        return TokenCounts(
            int(prompt),
            int(cached),
            int(written),
            int(max(completion, total - prompt)),
            sum(charges) if charges else None,
        )


_THINKING = frozenset({"thinking", "reasoning", "redacted_thinking", "reasoning_content"})


def _text(parts: object) -> str:
    """Returns the text among parts of content, without the parts that hold thinking (Mistral); of
    a reply that a gateway sends as an object, its JSON.
    """
    if isinstance(parts, dict) and "type" not in parts and parts.keys() != {"text"}:
        return msgspec.json.encode(parts).decode()
    rows = [parts]
    if isinstance(parts, list):
        rows = parts
    given = (
        row.get("text") if isinstance(row, dict) and row.get("type") not in _THINKING else row
        for row in rows
    )
    return "".join(text for text in given if isinstance(text, str))


def _refusal(parts: object) -> str:
    """Returns what the parts of content that refuse an answer say."""
    if not isinstance(parts, list):
        return ""
    given = (row.get("refusal") for row in parts if isinstance(row, dict))
    return "".join(text for text in given if isinstance(text, str))
