"""Reads servers' own descriptions of their models: the list at ``/v1/models`` (vLLM gives the
window, OpenRouter and other gateways the window and the price), and LiteLLM's ``/v1/model/info``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.models.catalogue.prices import THINKING_ROOM, Facts, Tariff
from adapters.models.exchange import number_at
from adapters.text.documents import NoDocument, read_json

_WINDOWS = (
    ("max_model_len",),
    ("context_length",),
    ("context_window",),
    ("max_context_length",),
    ("max_input_tokens",),
    ("context_size",),
    ("meta", "n_ctx"),
)
"""The places at which servers give the number of tokens that a model reads: vLLM, OpenRouter, Groq,
Mistral, Novita, llama-server, LiteLLM.
"""
PROMPT, COMPLETION = ("prompt", "input"), ("completion", "output")
CACHED, WRITTEN = ("input_cache_read", "cached_input"), ("input_cache_write",)
_A_MILLION = 1e6
"""USD per million tokens; a higher number is no price at all."""
_A_TOKEN = 1e-3
"""USD per token; a higher number is meant for a million tokens, since no model takes a thousand
dollars for one.
"""


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A server's answer about one model; None for facts that it does not give."""

    window: int | None = None
    tariff: Tariff | None = None
    tools: bool | None = None
    thinks: bool = False

    @property
    def complete(self) -> bool:
        return self.window is not None and self.tariff is not None

    def describe(self, facts: Facts) -> Facts:
        """Returns ``facts`` with the server's own facts in their place."""
        room = None
        if self.thinks:
            room = THINKING_ROOM
        return facts.corrected(
            window=self.window, tariff=self.tariff, tools=self.tools, thinking=room
        )


def read_list(body: bytes) -> Mapping[str, ServerAnswer]:
    """Returns the models of a list by the server's names; empty if it is not a list."""
    return {row["id"]: _told(row) for row in _rows(body) if isinstance(row.get("id"), str)}


def _rows(body: bytes) -> list[dict[str, Any]]:
    try:
        document: Any = read_json(body, object)
    except NoDocument:
        return []
    if isinstance(document, dict):
        document = document.get("data")
    if not isinstance(document, list):
        return []
    return [row for row in document if isinstance(row, dict)]


def read_litellm(body: bytes) -> Mapping[str, ServerAnswer]:
    """Returns the models of LiteLLM's ``/model/info`` by the names that it gives them; otherwise
    empty. One name can mean several models, and a call takes any of them: the smallest
    window and the highest price count.
    """
    answers: dict[str, list[ServerAnswer]] = {}
    for row in _rows(body):
        if isinstance(row.get("model_name"), str):
            facts = row.get("model_info")
            if not isinstance(facts, dict):
                facts = {}
            answers.setdefault(row["model_name"], []).append(_told_by_litellm(facts))
    return {name: _at_worst(several) for name, several in answers.items()}


def _told_by_litellm(facts: Mapping[str, Any]) -> ServerAnswer:
    """Returns the answer in LiteLLM's form, which writes zero for an unknown price."""
    prompt, completion = (_usd(facts, (f"{kind}_cost_per_token",)) for kind in ("input", "output"))
    tariff = None
    if prompt is not None and completion is not None and prompt + completion > 0:
        tariff = Tariff(
            prompt,
            completion,
            _usd(facts, ("cache_read_input_token_cost",)),
            _usd(facts, ("cache_creation_input_token_cost",)),
        )
    window = number_at(facts, ("max_input_tokens",))
    tools = facts.get("supports_function_calling")
    return ServerAnswer(
        int(window) if window else None,
        tariff,
        tools if isinstance(tools, bool) else None,
        facts.get("supports_reasoning") is True,
    )


def _at_worst(several: Sequence[ServerAnswer]) -> ServerAnswer:
    windows = [one.window for one in several if one.window is not None]
    tariffs = [one.tariff for one in several if one.tariff is not None]
    tools = [one.tools for one in several if one.tools is not None]
    return ServerAnswer(
        min(windows, default=None) if len(windows) == len(several) else None,
        max(tariffs, key=lambda one: (one.prompt or 0.0) + (one.completion or 0.0))
        if len(tariffs) == len(several)
        else None,
        all(tools) if tools else None,
        any(one.thinks for one in several),
    )


def _told(row: Mapping[str, Any]) -> ServerAnswer:
    takes = row.get("supported_parameters")
    if not isinstance(takes, list):
        takes = None
    return ServerAnswer(
        next((int(n) for place in _WINDOWS if (n := number_at(row, place)) and n > 0), None),
        _tariff(row.get("pricing"), free=str(row["id"]).endswith(":free")),
        None if takes is None else "tools" in takes,
        "reasoning" in (takes or ()),
    )


def _tariff(pricing: object, *, free: bool) -> Tariff | None:
    """Returns the tariff if both prices are given and a request has no further price. Zero counts
    only for a model that is called free, because some servers write it for an unknown price.
    """
    if not isinstance(pricing, dict) or (_usd(pricing, ("request",)) or 0) > 0:
        return None
    prompt, completion = _usd(pricing, PROMPT), _usd(pricing, COMPLETION)
    if prompt is None or completion is None or (prompt + completion == 0 and not free):
        return None
    scale = 1.0
    if max(prompt, completion) > _A_TOKEN:
        scale = 1e-6
    kept = (_usd(pricing, CACHED), _usd(pricing, WRITTEN))
    cached, written = (None if usd is None else usd * scale for usd in kept)
    return Tariff(prompt * scale, completion * scale, cached, written)


def _usd(pricing: Mapping[str, Any], names: Sequence[str]) -> float | None:
    """Returns an amount, written as a number or as text; None for amounts below zero, which mean
    that the price varies.
    """
    for name in names:
        try:
            usd = float(pricing[name])
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        if 0 <= usd < _A_MILLION:
            return usd
        break
    return None
