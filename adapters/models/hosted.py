"""A model behind any protocol, as the debate sees it: one reply, with its searches, its price and
its time limit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from adapters.models import faults, search
from adapters.models.catalogue import prices
from adapters.models.catalogue.prices import Facts, Tariff
from adapters.models.exchange import (
    EMPTY,
    LONGEST_TEXT,
    TOO_LONG,
    ModelAnswer,
    ModelRequest,
    Speaks,
    ToolCall,
)
from adapters.models.pace import OwnMachine
from adapters.models.prose import Prose, spoken
from adapters.models.tokens import TokenCounts
from adapters.text.documents import NoDocument, read_object
from core.debate.budget.pricing import SEARCHING
from core.debate.errors import ModelError, ModelFailure
from core.debate.lookups import LOOKUPS, READ, SEARCH
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.stored import stored, stored_many
from core.debate.usage import Usage

ROUNDS = SEARCHING
"""Requests for one reply at most: three with searches, and one that must answer.

Budgets count on it.
"""
_CUT = ("length", "paused")
"""The ends of an answer that is not whole."""


_PATH = {"type": "string", "maxLength": 300}
_LINES = {"type": "string", "description": 'as "10-60"; without it from the first line'}
_TEXT = {"type": "string", "minLength": 3, "maxLength": 160}


def _tool(name: str, what: str, properties: dict[str, Any], required: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [required]}
    return {
        "type": "function",
        "function": {"name": name, "description": what, "parameters": parameters},
    }


_LOOK_UPS = {
    READ: _tool(
        READ,
        f"Reads lines of a source file of the repository that the change belongs to, at its "
        f"commit. You have {LOOKUPS} look-ups; use one only to settle a point that the change "
        "alone does not, then reply in the form that is asked for.",
        {"path": _PATH, "lines": _LINES},
        "path",
    ),
    SEARCH: _tool(
        SEARCH,
        "Finds the lines of that repository's source files that hold exactly this text: a name, "
        "a call. Counts as a look-up.",
        {"text": _TEXT},
        "text",
    ),
}
"""The tools by which a model looks things up in the repository around a change."""


class _Spent:
    """The usage of one reply's requests so far, those that failed included; None before the first
    one that is paid for.
    """

    def __init__(self, tariff: Tariff) -> None:
        self.usage: Usage | None = None
        self._tariff = tariff

    def add(self, requests: Sequence[TokenCounts]) -> None:
        for tokens in requests:
            self.usage = (self.usage or Usage()) + Usage(
                prompt_tokens=tokens.prompt,
                cached_tokens=tokens.cached,
                completion_tokens=tokens.completion,
                usd=prices.cost(self._tariff, tokens),
                calls=1,
            )


class Hosted:
    """One model of one provider, by the name that people use.

    ``find`` is set when search is enabled, ``own_machine`` if it runs on one of the operator's
    machines.
    """

    demo = False

    def __init__(
        self,
        name: str,
        facts: Facts,
        speaks: Speaks,
        *,
        clean: faults.Redact,
        family: str = "",
        find: search.Find | None = None,
        allowance: search.SearchAllowance | None = None,
        own_machine: OwnMachine | None = None,
    ) -> None:
        self.name = name
        self.family = family or prices.family(name)
        self.facts = facts
        self.speaks = speaks
        self._clean = clean
        self._find = find
        self._allowance = allowance or search.SearchAllowance(0)
        self._own_machine = own_machine

    @property
    def window(self) -> int:
        return self.facts.window

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        machine, spent = self._own_machine, _Spent(self.facts.tariff)
        limit = asking.timeout
        if machine:
            limit = machine.limit(self.name, messages, asking)
        slow = machine is not None and limit > asking.timeout
        async with machine.turn if machine is not None and slow else nullcontext():
            started = time.monotonic()
            try:
                async with asyncio.timeout(limit):
                    reply = await self._converse(messages, asking, on_words, spent)
            except TimeoutError as error:
                text = stored("no answer within {seconds} s", seconds=f"{limit:g}")
                failure = faults.model_error(ModelFailure.TIMEOUT, self.name, text)
                failure.usage = spent.usage
                raise failure from error
            except ModelError as error:
                error.usage = spent.usage
                raise
            seconds = round(time.monotonic() - started, 3)
        chars = sum(len(m.text) for m in messages)
        usage = replace(spent.usage or Usage(), seconds=seconds, prompt_chars=chars)
        return replace(reply, usage=usage)

    async def _converse(
        self,
        messages: Sequence[Message],
        asking: CallOptions,
        on_words: OnWords | None,
        spent: _Spent,
    ) -> Reply:
        searches = self._searches(asking)
        tools = self._tools(asking, searches)
        question = ModelRequest(messages, asking, tools=tools)
        while True:
            prose = Prose(on_words)
            try:
                answer = await self.speaks.ask(question, prose)
            finally:
                spent.add(prose.spent)
            if written := _written_in_call(answer, tools, asking):
                answer = replace(answer, text=written, ended="stop")
                break
            if not tools or not answer.calls or question.last:
                break
            prompt = "\n".join(m.text for m in messages)
            results = tuple([await _ran(call, asking, searches, prompt) for call in answer.calls])
            rounds = (*question.searched, (answer, results))
            question = replace(question, searched=rounds, last=len(rounds) == ROUNDS - 1)
        return Reply(
            self._checked(answer),
            model=answer.model or self.name,
            request_id=answer.id,
            sources=tuple(searches.sources) if searches else (),
            failed_searches=tuple(searches.failed) if searches else (),
            cut=_cut(answer),
        )

    def _searches(self, asking: CallOptions) -> search.Searches | None:
        if search.NAME not in asking.tools or self._find is None or not self.facts.tools:
            return None
        return search.Searches(self._allowance, self._find, self._clean)

    def _tools(
        self, asking: CallOptions, searches: search.Searches | None
    ) -> tuple[Mapping[str, Any], ...]:
        """Returns the tools that the model may call; none if it is not known to use tools."""
        if not self.facts.tools:
            return ()
        web = (search.TOOL,) if searches is not None else ()
        look_ups = _LOOK_UPS
        if asking.look_up is None:
            look_ups = {}
        return (*web, *(tool for name, tool in look_ups.items() if name in asking.tools))

    def _checked(self, answer: ModelAnswer) -> str:
        """Returns the text of an answer that is not empty, or was cut. Raises ``ModelError``."""
        if answer.ended == "content_filter":
            raise faults.model_error(
                ModelFailure.REFUSED_BY_POLICY, self.name, stored("the answer was filtered")
            )
        text = spoken(answer.text, whole=answer.ended not in _CUT)
        if not text.strip() and answer.ended not in _CUT:
            raise faults.model_error(ModelFailure.BAD_REPLY, self.name, EMPTY)
        if len(text) > LONGEST_TEXT:
            raise faults.model_error(ModelFailure.BAD_REPLY, self.name, TOO_LONG)
        return text


def _cut(answer: ModelAnswer) -> str:
    """Returns why an answer is not whole, "" if it is."""
    if answer.ended == "paused":
        return stored("the provider paused it")
    if answer.ended != "length":
        return ""
    if answer.tokens is None or not answer.tokens.completion:
        return stored("it was cut off at its limit")
    limit = stored_many(answer.tokens.completion, "{n} token", "{n} tokens")
    return stored("it was cut off at its limit of {why_limit}", why_limit=limit)


def _written_in_call(
    answer: ModelAnswer, tools: Sequence[Mapping[str, Any]], asking: CallOptions
) -> str:
    """Returns the answer that a model writes as the call of a tool that nobody offered, as some
    gateways bind it to a schema; "" if there is none.
    """
    if answer.text.strip() or answer.ended in _CUT:
        return ""
    offered = {tool["function"]["name"] for tool in tools}
    fields = (asking.schema or {}).get("properties", {})
    for call in answer.calls:
        try:
            named = read_object(call.arguments or "{}").keys()
        except NoDocument:
            continue
        if call.name not in offered and (named & fields.keys() or (named and not fields)):
            return call.arguments
    return ""


async def _ran(
    call: ToolCall, asking: CallOptions, searches: search.Searches | None, prompt: str
) -> str:
    """Returns the result of a model's call; an error becomes a text for the model."""
    if call.name == search.NAME and searches is not None:
        return await searches.run(call.arguments, prompt)
    if call.name in asking.tools and asking.look_up is not None:
        return await asking.look_up(call.name, call.arguments)
    return f"There is no tool called {call.name!r}."
