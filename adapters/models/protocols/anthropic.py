"""Anthropic's protocol: cache marks, answers bound to a schema, tools, the events of a stream.

It is implemented here and not through litellm, because most people who run debates have this key,
and a debate should not cost them litellm's import; see ``docs/decisions.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from adapters.models import faults
from adapters.models.exchange import BROKE_OFF, ModelAnswer, ModelRequest, ToolCall, usage_at
from adapters.models.parts import Body
from adapters.models.prose import Prose
from adapters.models.protocols.openai import CACHE_MARKS, most_tokens
from adapters.models.protocols.streaming import AnswerReader, HttpModel
from adapters.models.tokens import TokenCounts
from adapters.models.wire import Address
from adapters.text.documents import NoDocument, read_object
from core.debate.errors import ModelFailure
from core.debate.ports import Message

_UNBINDABLE = ("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength")
"""Bounds that Anthropic's grammars don't know; our own check of the reply enforces them."""


class AnthropicModel(HttpModel):
    """One model behind Anthropic's messages."""

    def _reader(self, prose: Prose) -> AnswerReader:
        return _AnthropicReader(self._address, prose)

    def _body(self, question: ModelRequest, *, streamed: bool) -> Body:
        asking = question.asking
        system, turns = blocks(question.messages, for_long=asking.cache_long)
        body: Body = {
            "model": self._model,
            "max_tokens": most_tokens(asking, self._facts),
            "messages": [*turns, *_searched(question)],
        }
        if streamed:
            body["stream"] = True
        if system:
            body["system"] = system
        shaping: Body = {}
        if self._facts.thinking:  # such a model takes no other temperature than its own
            shaping["effort"] = "low" if asking.light else "medium"
        elif asking.temperature is not None:
            body["temperature"] = asking.temperature
        if question.tools:
            body["tools"] = [_tool(tool["function"]) for tool in question.tools]
            if question.last:
                body["tool_choice"] = {"type": "none"}
        elif asking.schema is not None and _bindable(asking.schema):
            shaping["format"] = {"type": "json_schema", "schema": bound(asking.schema)}
        if shaping:
            body["output_config"] = shaping
        return body


def _tool(function: Mapping[str, Any]) -> Body:
    named = {"name": function["name"], "description": function["description"]}
    return {**named, "input_schema": function["parameters"]}


def blocks(messages: Sequence[Message], *, for_long: bool = False) -> tuple[list[Body], list[Body]]:
    """Returns the system's blocks and the turns, neighbours of one role in one turn, the last cache
    marks set: the first of them for an hour if it is to last ``for_long``.
    """
    marked = [i for i, m in enumerate(messages) if m.cache][-CACHE_MARKS:]
    system: list[Body] = []
    turns: list[Body] = []
    for i, message in enumerate(messages):
        block: Body = {"type": "text", "text": message.text}
        if i in marked:
            long = for_long and i == marked[0]
            block["cache_control"] = {"type": "ephemeral"} | ({"ttl": "1h"} if long else {})
        if message.role == "system":
            system.append(block)
        elif turns and turns[-1]["role"] == message.role:
            turns[-1]["content"].append(block)
        else:
            turns.append({"role": message.role, "content": [block]})
    return system, turns


def _searched(question: ModelRequest) -> list[Body]:
    rounds: list[Body] = []
    for answer, texts in question.searched:
        blocks = [{"type": "text", "text": answer.text}] if answer.text.strip() else []
        wanted = [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call)}
            for call in answer.calls
        ]
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": text}
            for call, text in zip(answer.calls, texts, strict=True)
        ]
        rounds.append({"role": "assistant", "content": [*answer.thought, *blocks, *wanted]})
        rounds.append({"role": "user", "content": results})
    return rounds


def _input(call: ToolCall) -> dict[str, Any]:
    """Returns a call's arguments as an object, empty if the model wrote none."""
    try:
        return read_object(call.arguments or "{}")
    except NoDocument:
        return {}


def _bindable(schema: Mapping[str, Any]) -> bool:
    """True if a grammar can be made of the schema: objects with free keys have none."""
    return all(
        part.get("type") != "object" or part.get("additionalProperties") is False
        for part in _parts(schema)
    )


def bound(schema: Any) -> Any:
    """Returns the schema without the bounds that the grammar does not know."""
    if isinstance(schema, list):
        return [bound(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: bound(value)
        for key, value in schema.items()
        if key not in _UNBINDABLE or isinstance(value, dict)
    }


def _parts(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = [*schema.get("properties", {}).values(), schema.get("items")]
    return [schema, *(p for i in inner if isinstance(i, dict) for p in _parts(i))]


ENDED = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "pause_turn": "paused",
    "refusal": "content_filter",
}
STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The HTTP status of each kind of error, for errors in the middle of a stream."""


class _Block(msgspec.Struct):
    """A block of an answer, its next piece, or the end of the answer."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    data: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, Any] = {}
    partial_json: str = ""
    stop_reason: str | None = None


class _Message(msgspec.Struct):
    """An answer as it begins: whatever else a server writes there is not read."""

    id: str = ""
    model: str = ""
    usage: Any = None


class _Event(msgspec.Struct):
    """An event of a stream, or with ``type`` "message" an answer that came whole."""

    type: str = ""
    id: str = ""
    model: str = ""
    content: list[_Block] = []
    stop_reason: str | None = None
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Block | None = None
    usage: Any = None
    error: Any = None


_EVENT = msgspec.json.Decoder(_Event)


class _AnthropicReader(AnswerReader):
    def __init__(self, address: Address, prose: Prose) -> None:
        super().__init__(address, prose)
        self._usage: dict[str, Any] = {}
        self._thought: dict[int, dict[str, str]] = {}

    def _hear(self, data: bytes) -> None:
        event = self._read(data, _EVENT, "Anthropic's protocol")
        if event.error:
            kind = event.error.get("type") if isinstance(event.error, dict) else None
            raise self._failed(event.error, STATUSES.get(str(kind)))
        self._count(event.usage)
        if message := event if event.type == "message" else event.message:
            self._begun = True
            self._id, self._model = message.id, message.model
            self._count(message.usage)
        if event.type == "message":
            self._ended, self._done = event.stop_reason or "", True
        for index, block in enumerate(event.content):
            self._begin(index, block)
        if event.content_block is not None:
            self._begin(event.index, event.content_block)
        if delta := event.delta:
            self._fresh.append(delta.text)
            if event.index in self._thought:
                self._think(self._thought[event.index], delta)
            if delta.partial_json and event.index in self._calls:
                self._calls[event.index][2] += delta.partial_json
            self._ended = delta.stop_reason or self._ended
        self._done = self._done or event.type == "message_stop"

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self._usage |= {name: count for name, count in usage.items() if count is not None}

    def _begin(self, index: int, block: _Block) -> None:
        """Begins a block: whole if the answer came whole, else empty."""
        self._fresh.append(block.text)
        if block.type == "thinking":
            self._thought[index] = {"type": block.type, "thinking": "", "signature": ""}
            self._think(self._thought[index], block)
        elif block.type == "redacted_thinking":
            self._thought[index] = {"type": block.type, "data": block.data}
        if block.type == "tool_use":
            given = ""
            if block.input:
                given = msgspec.json.encode(block.input).decode()
            self._calls[index] = [block.id, block.name, given]

    def _think(self, block: dict[str, str], piece: _Block) -> None:
        for name in ("thinking", "signature"):
            if more := getattr(piece, name):
                block[name] = block.get(name, "") + more
        self._unseen += len(piece.thinking)

    def _finished(self) -> ModelAnswer:
        if not self._ended or not self._done:
            raise faults.model_error(ModelFailure.PROVIDER_DOWN, self._address.name, BROKE_OFF)
        thought = tuple(self._thought[index] for index in sorted(self._thought))
        return self._answer(ENDED.get(self._ended, "stop"), thought)

    def _counted(self) -> TokenCounts | None:
        """Adds up the tokens: Anthropic's prompt count leaves out those read from the cache or
        written into it.
        """
        names = (
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "output_tokens",
        )
        read, cached, written, completion = (int(usage_at(self._usage, (n,))) for n in names)
        if not read and not cached and not completion:
            return None
        kept = usage_at(self._usage, ("cache_creation", "ephemeral_1h_input_tokens"))
        prompt = read + cached + written
        return TokenCounts(prompt, cached, written, completion, kept=min(int(kept), written))
