"""Anthropic's protocol: cache marks, answers bound to a schema, tools, events.

It is implemented here and not through litellm, because most people who run debates have this key,
and a debate should not cost them litellm's import; see ``docs/decisions.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adapters.models.exchange import ModelRequest, ToolCall
from adapters.models.parts import Body
from adapters.models.prose import Prose
from adapters.models.protocols.anthropic_answer import AnthropicReader
from adapters.models.protocols.openai import CACHE_MARKS, most_tokens
from adapters.models.protocols.streaming import HttpModel
from adapters.text.documents import NoDocument, read_object
from core.debate.ports import Message

_UNBINDABLE = ("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength")
"""Bounds that Anthropic's grammars don't know; our own check of the reply enforces them."""


class AnthropicModel(HttpModel):
    """One model behind Anthropic's messages."""

    def _reader(self, prose: Prose) -> AnthropicReader:
        return AnthropicReader(self._address, prose)

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
    """Returns the rounds of searching so far."""
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
    """Returns a schema and all schemas inside it."""
    inner = [*schema.get("properties", {}).values(), schema.get("items")]
    return [schema, *(p for i in inner if isinstance(i, dict) for p in _parts(i))]
