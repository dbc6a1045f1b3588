"""OpenAI's chat protocol, for OpenAI and every provider that copied it.

Differences are in the provider's row and in the model's known refusals; the answers are read in
``openai_answer``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adapters.models.catalogue.prices import Facts
from adapters.models.catalogue.providers import Provider
from adapters.models.exchange import ModelRequest
from adapters.models.parts import Body
from adapters.models.prose import Prose
from adapters.models.protocols.openai_answer import OpenAIReader
from adapters.models.protocols.streaming import HttpModel
from adapters.models.wire import Address, Http
from core.debate.ports import CallOptions, Message


class OpenAIModel(HttpModel):
    """One model of a provider that speaks the protocol. ``mark`` is for cached prefixes."""

    def __init__(
        self,
        address: Address,
        model: str,
        facts: Facts,
        http: Http,
        refused: set[str],
        *,
        row: Provider,
        mark: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(address, model, facts, http, refused)
        self._row = row
        self._mark = mark

    def _reader(self, prose: Prose) -> OpenAIReader:
        return OpenAIReader(self._address, prose, self._row.charged)

    def _body(self, question: ModelRequest, *, streamed: bool) -> Body:
        asking, row = question.asking, self._row
        body: Body = {
            "model": self._model,
            "messages": [*blocks(question.messages, self._mark), *searched(question)],
            "max_tokens": most_tokens(asking, self._facts),
        }
        if streamed:
            body["stream"] = True
            if row.counts:
                body |= COUNTED
        if self._mark is BREAKPOINT:
            body["prompt_cache_options"] = {"mode": "explicit"}
            if asking.cache_key:
                body["prompt_cache_key"] = asking.cache_key
        if self._facts.thinking:
            body |= {**row.effort, row.limit: body.pop("max_tokens")}
        elif asking.temperature is not None:
            body["temperature"] = asking.temperature
        if question.tools:
            body["tools"] = [*question.tools]
            if question.last:
                body["tool_choice"] = "none"
        elif asking.schema is not None and row.shapes:
            body["response_format"] = bound(row.shapes[0], asking.schema)
        return body


def bound(shape: str, schema: Mapping[str, Any]) -> Body:
    """Returns the member that binds an answer to the schema."""
    if shape == "json_object":
        return {"type": shape}
    held = {"name": "reply", "schema": dict(schema), "strict": False}
    return {"type": shape, "json_schema": held}


COUNTED: Mapping[str, Any] = {"stream_options": {"include_usage": True}}
"""The option that asks for the token counts of a stream."""
CACHE_MARKS = 4
"""Anthropic and OpenAI accept this many cache marks in a request, also through gateways."""
CONTROL: Mapping[str, Any] = {"cache_control": {"type": "ephemeral"}}
"""The mark of a cached prefix that Anthropic's models are to see."""
BREAKPOINT: Mapping[str, Any] = {"prompt_cache_breakpoint": {"mode": "explicit"}}
"""The mark that OpenAI's models are to see, from GPT-5.6 on."""


def blocks(messages: Sequence[Message], mark: Mapping[str, Any] | None = None) -> list[Body]:
    """Returns the prompt's blocks, the ends of the last cached prefixes with this ``mark``."""
    made: list[Body] = [{"role": m.role, "content": m.text} for m in messages]
    if mark is None:
        return made
    for i in [i for i, m in enumerate(messages) if m.cache][-CACHE_MARKS:]:
        made[i]["content"] = [{"type": "text", "text": messages[i].text, **mark}]
    return made


def most_tokens(asking: CallOptions, facts: Facts) -> int:
    """Returns the bound of an answer, with room for thinking."""
    most = (asking.max_tokens + facts.thinking) * asking.room
    if facts.longest:
        return min(most, facts.longest)
    return most


def searched(question: ModelRequest) -> list[Body]:
    """Returns the rounds of searching so far."""
    rounds: list[Body] = []
    for answer, results in question.searched:
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in answer.calls
        ]
        text = answer.text or None
        rounds.append({"role": "assistant", "content": text, "tool_calls": calls})
        rounds += [
            {"role": "tool", "tool_call_id": call.id, "content": text}
            for call, text in zip(answer.calls, results, strict=True)
        ]
    return rounds
