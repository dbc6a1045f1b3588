"""The table of models, read row by row as it is written, and what a request costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.catalogue.prices import (
    THINKING_ROOM,
    Facts,
    Tariff,
    cost,
    facts,
    family,
    table,
    window_for,
)
from adapters.models.catalogue.providers import names
from adapters.models.tokens import TokenCounts

CHATS = ("chat", "responses", "completion")


def spelled_out(name: str, row: Mapping[str, Any], maker: str) -> Facts:
    """What a row says, written down a second time."""
    asked_for = ("claude-3", "claude-sonnet-4", "claude-opus-4", "claude-haiku-4", "claude-4")
    thinks = not any(old in name for old in asked_for)
    size = row.get("max_input_tokens") or row.get("max_tokens") or 16_000
    ends = row.get("supported_endpoints") or ["/v1/chat/completions"]
    dearer = [
        int(key.removeprefix("input_cost_per_token_above_").removesuffix("k_tokens"))
        for key in row
        if key.startswith("input_cost_per_token_above_") and key.endswith("k_tokens")
    ]
    tariff = replace(
        tariff_at(row, ""),
        above=tuple((k * 1000, tariff_at(row, f"_above_{k}k_tokens")) for k in sorted(dearer)),
    )
    made = Facts(
        maker, known=True, window=max(1000, int(size * 0.9) - 4000),
        schema=row.get("supports_response_schema") is True,
        tools=row.get("supports_function_calling") is True,
        chat=row.get("mode", "chat") == "chat" and "/v1/chat/completions" in ends, tariff=tariff,
        marked=row.get("supports_prompt_cache_breakpoint") is True,
        longest=row.get("max_output_tokens") or 0,
    )  # fmt: skip
    room = THINKING_ROOM if thinks and row.get("supports_reasoning") else 0
    return replace(made, thinking=room)


def tariff_at(row: Mapping[str, Any], end: str) -> Tariff:
    return Tariff(
        row.get(f"input_cost_per_token{end}"), row.get(f"output_cost_per_token{end}"),
        row.get(f"cache_read_input_token_cost{end}"),
        row.get(f"cache_creation_input_token_cost{end}"),
        kept=row.get(f"cache_creation_input_token_cost_above_1hr{end}"),
    )  # fmt: skip


def test_every_row_of_the_table_is_read_as_it_is_written() -> None:
    makers = {str(row.get("litellm_provider", "")) for row in table().values()} | names()
    for name, row in table().items():
        before, slash, _ = name.partition("/")
        maker = before if slash and before in makers else row.get("litellm_provider", "")
        expected = (
            spelled_out(name, row, maker) if maker and row.get("mode", "chat") in CHATS else None
        )
        assert facts(name) == expected, name


def test_a_model_s_row_may_stand_under_its_bare_name() -> None:
    bare = facts("gpt-4.1")
    assert bare is not None
    assert bare.provider == "openai"
    assert facts("openai/gpt-4.1") == bare
    assert facts("groq/gpt-4.1") == Facts("groq", known=False)
    assert facts("openai/no-such-model") == Facts("openai", known=False)
    assert facts("nobody/gpt-4.1") is None
    assert facts("no-such-model") is None
    assert facts("openai") is None
    assert facts("sample_spec/x") is None
    assert facts("one of many words/x") is None


@pytest.mark.parametrize(
    ("context", "window"), [(1, 1000), (5555, 1000), (5556, 1000), (5557, 1001), (100_000, 86_000)]
)
def test_an_estimate_may_be_off_and_the_answer_needs_room(context: int, window: int) -> None:
    assert window_for(context) == window


def test_a_request_costs_what_the_list_says() -> None:
    tariff = Tariff(2.0, 8.0, 0.5, 3.0)
    tokens = TokenCounts(prompt=100, cached=10, written=20, completion=7)
    assert cost(tariff, tokens) == 70 * 2.0 + 10 * 0.5 + 20 * 3.0 + 7 * 8.0
    assert cost(Tariff(2.0, 8.0), tokens) == 100 * 2.0 + 7 * 8.0
    assert cost(Tariff(2.0, 8.0, 0.0, 0.0), tokens) == 70 * 2.0 + 7 * 8.0
    assert cost(tariff, replace(tokens, usd=0.25)) == 0.25
    assert cost(Tariff(), replace(tokens, usd=0.0)) == 0.0
    assert cost(Tariff(2.0, None), tokens) is None
    assert cost(Tariff(None, 8.0), tokens) is None
    assert cost(Tariff(0.0, 0.0), tokens) == 0.0


LONG = Tariff(
    1.0, 2.0, 0.5, 1.5, above=((1000, Tariff(3.0, 4.0)), (2000, Tariff(5.0)), (3000, Tariff()))
)


@pytest.mark.parametrize(
    ("prompt", "usd"), [(1000, 1.0), (1001, 3.0), (2000, 3.0), (2001, 5.0), (3001, 5.0)]
)
def test_a_long_prompt_is_dearer_as_a_whole(prompt: int, usd: float) -> None:
    output = {1.0: 2.0, 3.0: 4.0, 5.0: 2.0}[usd]
    assert cost(LONG, TokenCounts(prompt=prompt, completion=10)) == prompt * usd + 10 * output


@given(st.integers(0, 4000), st.integers(0, 50))
def test_cached_tokens_are_never_dearer_where_they_are_cheaper(prompt: int, cached: int) -> None:
    tariff = Tariff(1.0, 2.0, 0.25)
    whole = cost(tariff, TokenCounts(prompt=prompt + cached))
    part = cost(tariff, TokenCounts(prompt=prompt + cached, cached=cached))
    assert whole == prompt + cached
    assert part == prompt + cached * 0.25


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("openrouter/anthropic/claude-sonnet-4.5", "anthropic"),
        ("groq/openai/gpt-oss-120b", "openai"),
        ("gpt-4.1", "openai"),
        ("ollama/my-qwen3", "qwen"),
        ("acme/Llama-3", "meta"),
        ("acme/unnamed", "acme"),
        ("acme/mygpt", "acme"),
    ],
)
def test_the_maker_is_known_by_the_last_part_of_the_name(name: str, maker: str) -> None:
    assert family(name) == maker
