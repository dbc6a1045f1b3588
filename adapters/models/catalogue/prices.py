"""The facts about a model before a call: its provider, price and window, read from litellm's
own table as a file.

A price must be shown before a debate starts, and a wrong name must be refused at once; neither may
cost the seconds that importing litellm takes. A model that the table does not know has an unknown
price, which is not the same as free.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from adapters.models.catalogue import providers
from adapters.models.catalogue.tables import PRICES, read_table
from adapters.models.tokens import TokenCounts
from core.debate.ports import Price

_UNKNOWN_WINDOW = 16_000
"""Prompt tokens assumed for a model nobody has described: what even small current models read."""

THINKING_ROOM = 3000
"""Tokens on top of ``CallOptions.max_tokens`` for models that think before they write, because both
count against one limit.
"""
_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?v?(\d+)")
_THINKS_UNASKED = 5
"""The first generation of Anthropic's models that thinks unasked; all others that can think do."""
_NEW = re.compile(r"(?:^|[./])(?:gpt-(?:5|6|7|8|9|\d\d)|o\d|claude-)")
"""Names of models that think, whether or not the table knows them yet."""
_MARKED = re.compile(r"(?:^|[./])gpt-(\d+)(?:\.(\d+))?")
_MARKED_FROM = (5, 6)
"""The first of OpenAI's models whose cache keeps only prefixes that end at a mark."""
_AWS = ("bedrock", "bedrock_converse")
_REGION = re.compile(r"^(?:us|eu|apac|au|jp|global|us-gov)\.")
_DEARER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")

FAMILIES = {
    "anthropic": "claude",
    "openai": "gpt|o1|o3|o4",
    "google": "gemini|gemma",
    "meta": "llama",
    "mistral": "codestral|devstral|mistral|ministral|magistral",
    "qwen": "qwen",
    "deepseek": "deepseek",
    "xai": "grok",
    "moonshot": "kimi",
    "zai": "glm",
    "cohere": "command",
    "smollm": "smollm",
    "microsoft": "phi",
}
"""The beginnings of models' names by their maker."""


@dataclass(frozen=True, slots=True)
class Tariff:
    """USD for one token; None if nobody knows. ``written`` and ``kept`` are for tokens that go into
    a cache, for some minutes or for an hour; ``above`` are higher tariffs for prompts of more than
    that number of tokens.
    """

    prompt: float | None = None
    completion: float | None = None
    cached: float | None = None
    written: float | None = None
    above: tuple[tuple[int, Tariff], ...] = ()
    kept: float | None = None


FREE = Tariff(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Facts:
    """``window`` is the prompt budget in tokens with room left for the answer, ``thinking`` the
    tokens that the model may use before it writes a word.

    ``schema`` and ``tools`` are True if the model is known to support them; ``chat`` is False for
    models that only OpenAI's other protocol (responses) serves. ``marked`` models cache only
    prefixes that a request marks in OpenAI's form; ``longest`` is the most tokens of one answer, 0
    if unknown.
    """

    provider: str
    known: bool
    tariff: Tariff = Tariff()
    thinking: int = 0
    window: int = _UNKNOWN_WINDOW
    schema: bool = False
    tools: bool = False
    chat: bool = True
    marked: bool = False
    longest: int = 0

    @property
    def price(self) -> Price:
        """The part of the tariff by which debates are budgeted."""
        one = self.tariff
        written = one.written or None
        return Price(
            one.prompt, one.completion, one.cached, self.thinking, self.tools, written=written
        )

    def corrected(self, *, window: int | None, **better: Any) -> Facts:
        """Returns the facts with those that are given, and not None, in their place. ``window`` is
        the number of tokens that the model reads.
        """
        given = {name: fact for name, fact in better.items() if fact is not None}
        if window is not None:
            given["window"] = window_for(window)
        return replace(self, **given)


@cache
def table() -> Mapping[str, Mapping[str, Any]]:
    """litellm's price table. About 25 ms the first time."""
    return read_table(PRICES)


@cache
def _provider_names() -> frozenset[str]:
    """Returns the provider names that are valid before the slash."""
    named = {str(row.get("litellm_provider", "")) for row in table().values()}
    return frozenset(n for n in named if n and " " not in n) | providers.names()


@lru_cache(maxsize=512)
def facts(name: str) -> Facts | None:
    """Returns the facts about ``name`` (``gpt-4.1``, ``openai/gpt-5``, ``mistral/...``), or None
    when neither model nor provider is known.
    """
    provider, slash, model = name.partition("/")
    rows = table()
    row = rows.get(name)
    if row is None and slash and provider in _provider_names():
        row = _row_of(provider, model)
        if row is None:
            return unlisted(provider, model)
    if row is None or "litellm_provider" not in row:
        return None  # the table holds rows that are no models, too
    if row.get("mode", "chat") not in ("chat", "responses", "completion"):
        return None
    if not slash or provider not in _provider_names():
        provider = str(row["litellm_provider"])
    return _described(name, row, provider)


def _row_of(provider: str, model: str) -> Mapping[str, Any] | None:
    """Returns the table's row of a provider's model. Bedrock's models are also named by an
    inference profile's ARN, a region before them, or one inside their names.
    """
    rows, names = table(), [model]
    if provider in _AWS:
        last = model.rpartition("/")[2]
        names += [last, _REGION.sub("", last)]
    for row in filter(None, map(rows.get, names)):
        owner = row.get("litellm_provider")
        if owner == provider or (provider in _AWS and owner in _AWS):
            return row
    return None


def unlisted(provider: str, model: str) -> Facts:
    """Returns the facts about a model that the table does not have, as far as its name tells
    them.
    """
    thinks = _NEW.search(model) is not None and not thinks_when_asked(model)
    version = _MARKED.search(model)
    marked = version is not None and (int(version[1]), int(version[2] or 0)) >= _MARKED_FROM
    return Facts(provider, known=False, thinking=_room(thinks=thinks), marked=marked)


def thinks_when_asked(name: str) -> bool:
    """Return whether a model that can think does so only if a request asks for it."""
    generation = _CLAUDE.search(name.lower())
    return generation is not None and int(generation[1]) < _THINKS_UNASKED


def _room(*, thinks: bool) -> int:
    if thinks:
        return THINKING_ROOM
    return 0


def _described(name: str, row: Mapping[str, Any], provider: str) -> Facts:
    thinks = bool(row.get("supports_reasoning")) and not thinks_when_asked(name)
    served = row.get("supported_endpoints") or ("/v1/chat/completions",)
    return Facts(
        provider,
        known=True,
        tariff=_tariff(row),
        thinking=_room(thinks=thinks),
        window=window_for(row.get("max_input_tokens") or row.get("max_tokens") or _UNKNOWN_WINDOW),
        schema=bool(row.get("supports_response_schema")),
        tools=bool(row.get("supports_function_calling")),
        chat=row.get("mode", "chat") == "chat" and "/v1/chat/completions" in served,
        marked=bool(row.get("supports_prompt_cache_breakpoint")),
        longest=int(row.get("max_output_tokens") or 0),
    )


def window_for(context: int) -> int:
    """Returns the prompt budget of a model that reads that number of tokens: its estimate may be
    off, and the answer needs room.
    """
    return max(1000, int(context * 0.9) - 4000)


def _tariff(row: Mapping[str, Any], suffix: str = "") -> Tariff:
    above = sorted(
        {int(m[1]) for key in row if not suffix and (m := _DEARER.fullmatch(key)) is not None}
    )
    return Tariff(
        row.get(f"input_cost_per_token{suffix}"),
        row.get(f"output_cost_per_token{suffix}"),
        row.get(f"cache_read_input_token_cost{suffix}"),
        row.get(f"cache_creation_input_token_cost{suffix}"),
        tuple((k * 1000, _tariff(row, f"_above_{k}k_tokens")) for k in above),
        row.get(f"cache_creation_input_token_cost_above_1hr{suffix}"),
    )


def cost(tariff: Tariff, tokens: TokenCounts) -> float | None:
    """Returns USD of one request at list prices; None if a price is unknown. Cached or written
    tokens without a separate price cost as much as the prompt.
    """
    if tokens.usd is not None:
        return tokens.usd
    for most, dearer in reversed(tariff.above):
        if tokens.prompt > most and dearer.prompt is not None:
            tariff = replace(dearer, completion=dearer.completion or tariff.completion)
            break
    if tariff.prompt is None or tariff.completion is None:
        return None
    cached, written = tariff.cached, tariff.written
    if cached is None:
        cached = tariff.prompt
    if written is None:
        written = tariff.prompt
    kept = tariff.kept
    if kept is None:
        kept = max(written, 2 * tariff.prompt)
    plain = tokens.prompt - tokens.cached - tokens.written
    return (
        plain * tariff.prompt
        + tokens.cached * cached
        + (tokens.written - tokens.kept) * written
        + tokens.kept * kept
        + tokens.completion * tariff.completion
    )


def family(name: str) -> str:
    """Returns the maker of the model, so that a judge of another family can be chosen; the provider
    if the name does not show it.
    """
    words = name.lower().split("/")
    last = words[-1]
    for maker, names in FAMILIES.items():
        if re.search(rf"(?:^|[^a-z0-9])(?:{names})", last):
            return maker
    return words[0]
