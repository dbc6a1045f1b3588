"""OpenAI's chat protocol, for OpenAI and every provider that copied it.

Differences are in the provider's row and in the model's known refusals; the answers are read in
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
from adapters.models.parts import Body
from adapters.models.prose import Prose
from adapters.models.protocols.openai_answer import read_answer
from adapters.models.refusals import Refusals
from adapters.models.wire import Address, Http
from core.debate.ports import CallOptions, Message


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
        breakpoints = self.row.breakpoints and self.facts.marked
        mark = BREAKPOINT if breakpoints else CONTROL if self.marked else None
        body = request(self.model, (), asking) | {
            "messages": [*blocks(question.messages, mark), *searched(question)],
            "max_tokens": most_tokens(asking, self.facts),
        }
        if breakpoints:
            body |= {"prompt_cache_options": {"mode": "explicit"}}
            body |= {"prompt_cache_key": asking.cache_key} if asking.cache_key else {}
        if room:
            body |= {**self.row.effort, self.row.limit: body.pop("max_tokens")}
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
    most = (asking.max_tokens + facts.price.thinking) * asking.room
    return min(most, facts.longest) if facts.longest else most


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
