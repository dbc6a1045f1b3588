"""What a server says of its own models: the list at ``/v1/models``, where vLLM names the window,
OpenRouter and other gateways the window and the price.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from adapters.models.catalogue import prices
from adapters.models.catalogue.prices import THINKING_ROOM, Facts, Tariff
from adapters.models.exchange import number_at
from core.ports import Price

_WINDOWS = (
    ("max_model_len",),
    ("context_length",),
    ("context_window",),
    ("max_context_length",),
    ("context_size",),
    ("meta", "n_ctx"),
)
"""Where servers say how many tokens a model reads: vLLM, OpenRouter, Groq, Mistral, Novita,
llama-server.
"""
PROMPT, COMPLETION = ("prompt", "input"), ("completion", "output")
CACHED, WRITTEN = ("input_cache_read", "cached_input"), ("input_cache_write",)
_A_TOKEN = 1e-3
"""USD. What is dearer is meant for a million tokens: no model takes a thousand dollars for one."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a server says of one model; None is: nothing."""

    window: int | None = None
    tariff: Tariff | None = None
    tools: bool | None = None
    thinks: bool = False

    def describe(self, facts: Facts, *, thinks: bool) -> Facts:
        """``facts`` with what the server said instead; ``thinks``: its models think unasked."""
        if self.window is not None:
            facts = replace(facts, window=prices.window_for(self.window))
        if self.tools is not None:
            facts = replace(facts, tools=self.tools)
        room = THINKING_ROOM if self.thinks and thinks else facts.price.thinking
        tariff = self.tariff or facts.tariff
        price = Price(tariff.prompt, tariff.completion, tariff.cached, room)
        return replace(facts, tariff=tariff, price=price)


def read_list(body: bytes) -> Mapping[str, Told]:
    """The models of a list by the server's names; empty where it is none."""
    try:
        document: Any = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return {}
    rows = document
    if isinstance(document, dict):
        rows = document.get("data")
    if not isinstance(rows, list):
        return {}
    return {
        row["id"]: _told(row)
        for row in rows
        if isinstance(row, dict) and isinstance(row.get("id"), str)
    }


def _told(row: Mapping[str, Any]) -> Told:
    takes = row.get("supported_parameters")
    if not isinstance(takes, list):
        takes = None
    return Told(
        next((int(n) for place in _WINDOWS if (n := number_at(row, place)) and n > 0), None),
        _tariff(row.get("pricing"), free=str(row["id"]).endswith(":free")),
        None if takes is None else "tools" in takes,
        "reasoning" in (takes or ()),
    )


def _tariff(pricing: object, *, free: bool) -> Tariff | None:
    """The prices, where both are there and nothing else is charged for a request; zero is believed
    only of a model that is called free, for some write it where they mean nothing at all.
    """
    if not isinstance(pricing, dict) or (_usd(pricing, ("request",)) or 0) > 0:
        return None
    prompt, completion = _usd(pricing, PROMPT), _usd(pricing, COMPLETION)
    if prompt is None or completion is None or (prompt + completion == 0 and not free):
        return None
    scale = 1.0
    if max(prompt, completion) > _A_TOKEN:
        scale = 1e-6
    cached, written = _usd(pricing, CACHED), _usd(pricing, WRITTEN)
    return Tariff(
        prompt * scale,
        completion * scale,
        _times(scale, cached),
        _times(scale, written),
    )


def _times(scale: float, usd: float | None) -> float | None:
    if usd is None:
        return None
    return usd * scale


def _usd(pricing: Mapping[str, Any], names: Sequence[str]) -> float | None:
    """An amount, written as a number or as text; a negative one means: it depends."""
    for name in names:
        try:
            usd = float(pricing[name])
        except (KeyError, TypeError, ValueError):
            continue
        if usd >= 0:
            return usd
        break
    return None
