"""The table of models, read row by row as it is written, and what a request costs."""

from __future__ import annotations

from dataclasses import replace

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
from adapters.models.tokens import TokenCounts

KNOWN: dict[str, Facts | None] = {
    "gpt-4.1": Facts(
        "openai", known=True, tariff=Tariff(2e-6, 8e-6, 5e-7), window=938_818, schema=True,
        tools=True, longest=32_768,
    ),
    "gpt-5.6": Facts(
        "openai", known=True, window=825_800, schema=True, tools=True, longest=128_000,
        marked=True, thinking=THINKING_ROOM,
        tariff=Tariff(4e-6, 2e-5, 4e-7, 5e-6, ((272_000, Tariff(8e-6, 3e-5, 8e-7, 1e-5)),)),
    ),
    "anthropic/claude-sonnet-4-5": Facts(
        "anthropic", known=True, tariff=Tariff(3e-6, 1.5e-5, 3e-7, 3.75e-6, kept=6e-6),
        window=176_000, schema=True, tools=True, longest=64_000,
    ),
    "gpt-5-pro": Facts(
        "openai", known=True, tariff=Tariff(1.5e-5, 1.2e-4), thinking=THINKING_ROOM,
        window=356_000, schema=True, tools=True, chat=False, longest=272_000,
    ),
    "gpt-3.5-turbo-instruct": Facts(
        "text-completion-openai", known=True, tariff=Tariff(1.5e-6, 2e-6), window=3_372,
        chat=False, longest=4_096,
    ),
    "text-embedding-3-small": None,
}  # fmt: skip


def test_a_row_of_the_table_is_read_as_it_is_written() -> None:
    assert {name: facts(name) for name in KNOWN} == KNOWN
    chats = ("chat", "responses", "completion")
    for name, row in table().items():
        read = facts(name)
        assert (read is not None) == (
            "litellm_provider" in row and row.get("mode", "chat") in chats
        ), name


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


def test_the_maker_is_known_by_the_last_part_of_the_name() -> None:
    for name, maker in (
        ("openrouter/anthropic/claude-sonnet-4.5", "anthropic"), ("ollama/my-qwen3", "qwen"),
        ("groq/openai/gpt-oss-120b", "openai"), ("gpt-4.1", "openai"), ("acme/Llama-3", "meta"),
        ("acme/unnamed", "acme"), ("acme/mygpt", "acme"),
    ):  # fmt: skip
        assert family(name) == maker
