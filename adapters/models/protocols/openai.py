"""OpenAI's chat protocol, for OpenAI and every provider that copied it.

Differences stand in the provider's row and in the model's known refusals; the answers are read in
``openai_answer``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.models import limits, prefixes
from adapters.models.catalogue.prices import Facts
from adapters.models.catalogue.providers import Provider
from adapters.models.exchange import ModelAnswer, ModelRequest
from adapters.models.prose import Prose
from adapters.models.protocols.openai_answer import read_answer
from adapters.models.refusals import Body, Refusals
from adapters.models.wire import Address, Http
from core.ports import CallOptions, Message


@dataclass(slots=True)
class OpenAIModel:
    """One model of a provider that speaks the protocol. ``model`` is what the provider calls it."""

    address: Address
    model: str
    row: Provider
    facts: Facts
    http: Http
    refusals: Refusals
    marked: bool = False

    async def ask(self, question: ModelRequest, prose: Prose) -> ModelAnswer:
        async def send(body: Body) -> ModelAnswer:
            return await read_answer(self.http, self.address, body, prose, self.row.charged)

        body = self._body(question)
        streamed = prose.watched or limits.awaited() or prefixes.leading()
        if not streamed:
            del body["stream"]
        if not streamed or not self.row.counts:
            del body["stream_options"]
        where = (self.address.url, self.model)
        return await self.refusals.ask(where, body, send)

    def _body(self, question: ModelRequest) -> Body:
        asking, room = question.asking, self.facts.price.thinking
        body = request(self.model, (), asking) | {
            "messages": [
                *blocks(question.messages, marked=self.marked),
                *searched(question),
            ]
        }
        if room:
            del body["max_tokens"]
            body |= {**self.row.effort, self.row.limit: asking.max_tokens + room}
            body.pop("temperature", None)
        if question.tools:
            body |= {"tools": [*question.tools]}
            body |= {"tool_choice": "none"} if question.last else {}
        elif asking.schema is not None and self.row.shapes:
            body["response_format"] = bound(self.row.shapes[0], asking.schema)
        return body


def request(model: str, messages: Sequence[Message], asking: CallOptions) -> Body:
    """Returns the members that every request has."""
    body: Body = {
        "model": model,
        "messages": blocks(messages),
        "max_tokens": asking.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if asking.temperature is None:
        return body
    return body | {"temperature": asking.temperature}


def bound(shape: str, schema: Mapping[str, Any]) -> Body:
    """Returns the member that binds an answer to the schema."""
    if shape == "json_object":
        return {"type": shape}
    held = {"name": "reply", "schema": dict(schema), "strict": False}
    return {"type": shape, "json_schema": held}


CACHE_MARKS = 4
"""Anthropic accepts this many cache marks in a request, whoever passes them on."""


def blocks(messages: Sequence[Message], *, marked: bool = False) -> list[Body]:
    """Returns the prompt's blocks; ``marked`` says that the last marks of a cached prefix are sent
    along, which only Anthropic's models are to see.
    """
    made: list[Body] = [{"role": m.role, "content": m.text} for m in messages]
    if not marked:
        return made
    for i in [i for i, m in enumerate(messages) if m.cache][-CACHE_MARKS:]:
        mark = {"type": "ephemeral"}
        made[i]["content"] = [{"type": "text", "text": messages[i].text, "cache_control": mark}]
    return made


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
