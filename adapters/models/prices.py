"""What litellm's own table knows about a model, read from its file without importing litellm.

A price must stand on the screen before a debate starts, and a wrong name must be refused at once;
neither may cost the seconds that importing litellm takes. A model that the table does not know has
an unknown price, which is not the same as free.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.ports import Price

UNKNOWN = Price(None, None, None)
FREE = Price(0.0, 0.0, 0.0)
UNKNOWN_WINDOW = 16_000
"""Prompt tokens assumed for a model nobody has described: what even small current models read."""

THINKING_ROOM = 3000
"""Tokens on top of ``CallOptions.max_tokens`` for models that think before they write, where both
come out of one allowance.
"""
THINK_UNASKED = ("openai", "azure", "gemini", "vertex_ai")

TABLE = "model_prices_and_context_window_backup.json"
FAMILIES = (
    ("claude", "anthropic"),
    ("gpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini", "google"),
    ("gemma", "google"),
    ("llama", "meta"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("mistral", "mistral"),
    ("ministral", "mistral"),
    ("magistral", "mistral"),
    ("qwen", "qwen"),
    ("deepseek", "deepseek"),
    ("grok", "xai"),
    ("kimi", "moonshot"),
    ("glm", "zai"),
    ("command", "cohere"),
    ("smollm", "smollm"),
    ("phi", "microsoft"),
)


@dataclass(frozen=True, slots=True)
class Facts:
    """``window`` is the prompt budget in tokens with room left for the answer.

    ``schema`` and ``tools`` say what the model supports.
    """

    provider: str
    known: bool
    price: Price = UNKNOWN
    window: int = UNKNOWN_WINDOW
    schema: bool = False
    tools: bool = False


@cache
def table() -> Mapping[str, Mapping[str, Any]]:
    """litellm's price table, empty when litellm is not installed. About 25 ms the first time."""
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    text = (Path(next(iter(spec.submodule_search_locations))) / TABLE).read_text(encoding="utf-8")
    rows: Mapping[str, Mapping[str, Any]] = json.loads(text)
    return rows


@cache
def providers() -> frozenset[str]:
    """The provider names that may stand before the slash."""
    named = {str(row.get("litellm_provider", "")) for row in table().values()}
    return frozenset(n for n in named if n and " " not in n) | {
        "openrouter",
        "hosted_vllm",
        "litellm_proxy",
        "llamafile",
        "github",
        "together_ai",
    }


def facts(name: str) -> Facts | None:
    """What is known about ``name`` (``gpt-4.1``, ``openai/gpt-5``, ``mistral/...``), or None when
    neither model nor provider is known.
    """
    provider, slash, model = name.partition("/")
    rows = table()
    row = rows.get(name)
    if row is None and slash and provider in providers():
        bare = rows.get(model)
        if bare is None or bare.get("litellm_provider") != provider:
            return Facts(provider, known=False)
        row = bare
    if row is None or row.get("mode", "chat") not in ("chat", "responses", "completion"):
        return None
    return _described(
        row, provider if slash and provider in providers() else str(row["litellm_provider"])
    )


def _described(row: Mapping[str, Any], provider: str) -> Facts:
    thinking = THINKING_ROOM if row.get("supports_reasoning") and provider in THINK_UNASKED else 0
    read = int(row.get("max_input_tokens") or row.get("max_tokens") or UNKNOWN_WINDOW)
    return Facts(
        provider,
        known=True,
        price=Price(
            row.get("input_cost_per_token"),
            row.get("output_cost_per_token"),
            row.get("cache_read_input_token_cost"),
            thinking,
        ),
        window=max(1000, int(read * 0.9) - 4000),
        schema=bool(row.get("supports_response_schema")),
        tools=bool(row.get("supports_function_calling")),
    )


def family(name: str) -> str:
    """Who made the model, so that a judge of another family can be chosen; the provider where the
    name does not tell.
    """
    words = name.lower().split("/")
    last = words[-1]
    return next(
        (maker for start, maker in FAMILIES if re.search(rf"(?:^|[^a-z0-9]){start}", last)),
        words[0],
    )
