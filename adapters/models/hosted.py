"""A model behind any protocol, as the debate sees it: one reply, with its searches, its price and
its time limit.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from adapters.models import faults, lookups, search
from adapters.models.catalogue import prices
from adapters.models.catalogue.prices import Facts
from adapters.models.exchange import (
    LONGEST_TEXT,
    TOO_LONG,
    ModelAnswer,
    ModelRequest,
    Speaks,
    TokenCounts,
    ToolCall,
)
from adapters.models.pace import OwnMachine
from adapters.models.prose import Prose
from core.budget import SEARCHING
from core.errors import ModelFailure
from core.ports import CallOptions, Message, OnWords, Reply, Usage

ROUNDS = SEARCHING
"""Requests for one reply at most: three with searches, and one that must answer.

Budgets count on it.
"""
THOUGHT = re.compile(r"^\s*<think>.*?</think>\s*", re.DOTALL)
"""The thinking that some open models write aloud before their answer."""


class Hosted:
    """One model of one provider, by the name that people use.

    ``find`` is set when search is enabled, ``own_machine`` where it runs on one of the operator's.
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
        self._allowance = allowance
        self._own_machine = own_machine

    @property
    def window(self) -> int:
        return self.facts.window

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        machine = self._own_machine
        limit = machine.limit(self.name, messages, asking) if machine else asking.timeout
        slow = machine is not None and limit > asking.timeout
        async with machine.turn if machine is not None and slow else nullcontext():
            started = time.monotonic()
            try:
                async with asyncio.timeout(limit):
                    reply = await self._converse(messages, asking, on_words)
            except TimeoutError as error:
                text = f"no answer within {limit:g} s"
                raise faults.model_error(ModelFailure.TIMEOUT, self.name, text) from error
            seconds = round(time.monotonic() - started, 3)
        return replace(reply, usage=replace(reply.usage, seconds=seconds))

    async def _converse(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None
    ) -> Reply:
        searches = self._searches(asking)
        tools = self._tools(asking, searches)
        question = ModelRequest(messages, asking, tools=tools)
        usage = Usage(prompt_chars=sum(len(m.text) for m in messages))
        while True:
            answer = await self.speaks.ask(question, Prose(on_words))
            usage = _added(usage, answer.tokens, self._usd(answer.tokens))
            if not tools or not answer.calls or question.last:
                break
            prompt = "\n".join(m.text for m in messages)
            results = tuple([await _ran(call, asking, searches, prompt) for call in answer.calls])
            rounds = (*question.searched, (answer, results))
            question = replace(question, searched=rounds, last=len(rounds) == ROUNDS - 1)
        return Reply(
            self._checked(answer),
            usage,
            answer.model or self.name,
            answer.id,
            tuple(searches.sources) if searches else (),
        )

    def _searches(self, asking: CallOptions) -> search.Searches | None:
        if search.NAME not in asking.tools or self._find is None or self._allowance is None:
            return None
        if self.facts.tools:
            return search.Searches(self._allowance, self._find, self._clean)
        return None

    def _tools(
        self, asking: CallOptions, searches: search.Searches | None
    ) -> tuple[Mapping[str, Any], ...]:
        """Returns the tools that the model may call; none where it is not known to use tools."""
        if not self.facts.tools:
            return ()
        web = (search.TOOL,) if searches is not None else ()
        look_ups = lookups.TOOLS if asking.look_up is not None else {}
        return (*web, *(tool for name, tool in look_ups.items() if name in asking.tools))

    def _usd(self, tokens: TokenCounts | None) -> float | None:
        """Returns the cost of a request; unknown where nobody counted its tokens, unless the model
        is free.
        """
        free = self.facts.price.prompt == 0 and self.facts.price.completion == 0
        if tokens or free:
            return prices.cost(self.facts.tariff, tokens or TokenCounts())
        return None

    def _checked(self, answer: ModelAnswer) -> str:
        """Returns the text of an answer that is not empty. Raises ``ModelError``."""
        if answer.ended == "content_filter":
            raise faults.model_error(
                ModelFailure.REFUSED_BY_POLICY, self.name, "the answer was filtered"
            )
        text = THOUGHT.sub("", answer.text)
        if not text.strip():
            if answer.ended == "length":
                why = "it used up its tokens before the first word"
            else:
                why = "the answer is empty"
            raise faults.model_error(ModelFailure.BAD_REPLY, self.name, why)
        if len(text) > LONGEST_TEXT:
            raise faults.model_error(ModelFailure.BAD_REPLY, self.name, TOO_LONG)
        return text


async def _ran(
    call: ToolCall, asking: CallOptions, searches: search.Searches | None, prompt: str
) -> str:
    """Returns the result of a model's call; an error becomes a text for the model."""
    if call.name == search.NAME and searches is not None:
        return await searches.run(call.arguments, prompt)
    if call.name in asking.tools and asking.look_up is not None:
        return await asking.look_up(call.name, call.arguments)
    return f"There is no tool called {call.name!r}."


def _added(total: Usage, tokens: TokenCounts | None, usd: float | None) -> Usage:
    more = tokens or TokenCounts()
    return replace(
        total,
        prompt_tokens=total.prompt_tokens + more.prompt,
        cached_tokens=total.cached_tokens + more.cached,
        completion_tokens=total.completion_tokens + more.completion,
        usd=None if total.usd is None or usd is None else total.usd + usd,
    )
