"""Debates with the models of autumn 2026, which think before they write and cache by marks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from adapters.models import _Shared
from bot.wire.base import MakeModels
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import Played, Watched, typed
from tests.end_to_end.shell import EXAMPLE
from tests.standins.clock import Hurried
from tests.standins.openai import Say, openai
from tests.standins.thinking import Thinking, thinking

KEY = "sk-test-0123456789abcdef"


async def reviewed(
    folder: Path,
    state: Thinking,
    models: str,
    *words: str,
    env: Mapping[str, str] | None = None,
    make_models: MakeModels = Watched,
) -> Played:
    bases = {"ANTHROPIC_API_BASE": state.base, "OPENAI_API_BASE": f"{state.base}/v1"}
    keys = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY, "DEBATE_MODELS": models}
    requests = ("code_review", str(EXAMPLE), "--yes", *words)
    given = {**bases, **keys, **(env or {})}
    return await typed(folder, None, *requests, env=given, make_models=make_models)


def billed(state: Thinking, written: str, prompt: str) -> tuple[int, int]:
    """Returns the tokens that were written and read by the provider's own count."""
    return (
        sum(int(u[written]) for u in state.usages),
        sum(
            int(u[prompt])
            + int(u.get("cache_read_input_tokens", 0))
            + int(u.get("cache_creation_input_tokens", 0))
            for u in state.usages
        ),
    )


@pytest.mark.parametrize(
    ("model", "thinks", "window", "ttl"),
    [("claude-sonnet-5", 700, "10m", {"1h"}), ("claude-opus-5-5", 2500, "0s", set())],
)
async def test_a_model_that_thinks_unasked_reaches_a_verdict_and_every_token_is_counted(
    tmp_path: Path, model: str, thinks: int, window: str, ttl: set[str]
) -> None:
    """If the debate waits for people, prompts are cached for an hour."""
    async with thinking(Thinking(thinks)) as state:
        words, env = f"--vote-window={window}", {"DEBATE_TEMPERATURE": "0.2"}
        played = await reviewed(tmp_path, state, f"anthropic/{model}", words, env=env)
    cost = played.outcome["cost"]
    assert state.cut == 0
    assert played.outcome["verdict"]["reached"], played.out
    assert cost["calls"] == len(state.requests)
    assert (cost["completion_tokens"], cost["prompt_tokens"]) == billed(
        state, "output_tokens", "input_tokens"
    )
    assert all("temperature" not in body for body in state.requests)
    assert {body["output_config"]["effort"] for body in state.requests} == {"medium"}
    blocks = [b for body in state.requests for m in body["messages"] for b in m["content"]]
    lives = {b["cache_control"].get("ttl", "") for b in blocks if "cache_control" in b}
    assert lives - {""} == ttl


async def test_a_cut_answer_is_asked_for_again_with_more_room(tmp_path: Path) -> None:
    async with thinking(Thinking(6000)) as state:
        played = await reviewed(tmp_path, state, "anthropic/claude-sonnet-5")
    cost, first = played.outcome["cost"], state.requests[0]
    again = [body for body in state.requests if "cut off at its limit" in str(body["messages"])]
    assert played.outcome["verdict"]["reached"], played.out
    assert {body["max_tokens"] for body in again} == {4 * first["max_tokens"]}
    assert len(again) == state.cut
    assert cost["calls"] == len(state.requests)
    assert cost["completion_tokens"] == billed(state, "output_tokens", "input_tokens")[0]


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-5", "openai/gpt-5.6"])
async def test_a_debate_whose_answers_are_all_cut_says_so_and_what_it_cost(
    tmp_path: Path, model: str
) -> None:
    async with thinking(Thinking(50_000)) as state:
        played = await reviewed(tmp_path, state, model)
    turns = [t for r in played.outcome["rounds"] for t in r["turns"] if t["failed"]]
    cost = played.outcome["cost"]
    assert played.code == 3
    assert all("cut off at its limit" in t["failed"] for t in turns)
    assert cost["calls"] == len(state.requests) == 2 * len(turns)
    assert cost["completion_tokens"] == len(turns) * (4400 + 17_600)
    assert cost["usd"] >= cost["completion_tokens"] * 1e-5
    assert "free" not in played.out.lower()


async def test_a_budget_counts_answers_without_words(tmp_path: Path) -> None:
    """Every opening is cut and would be asked for again with four times the room."""
    async with thinking(Thinking(50_000)) as state:
        played = await reviewed(tmp_path, state, "anthropic/claude-opus-5-5", "--budget=1.50")
    cost, openings = played.outcome["cost"], len(played.outcome["seats"])
    assert 0.4 < cost["usd"] <= 1.5, played.out
    assert len(state.requests) < 2 * openings


async def test_the_budget_of_a_day_counts_answers_whose_tokens_nobody_counted(
    tmp_path: Path,
) -> None:
    reply = {"text": "Fine.", "stance": {"option": "approve", "confidence": 0.9}, "findings": []}
    async with openai() as provider:
        provider.answers = [Say((json.dumps(reply),), usage=None)]
        env = {**provider.settings(), "DEBATE_DAILY_BUDGET": "0.13"}
        words = ("code_review", str(EXAMPLE), "--yes", "--fresh")
        first = await typed(tmp_path, None, *words, env=env)
        calls = len(provider.requests)
        second = await typed(tmp_path, None, *words, env=env)
    assert first.outcome["verdict"]["reached"], first.out
    assert 0 < first.outcome["cost"]["usd"] < 0.13
    assert (second.code, len(provider.requests)) == (3, calls)
    assert "The day's budget has $0.1" in second.refusal


def spent(state: Thinking) -> float:
    """Returns what GPT-5.6 charges for the prompts, in tokens at the plain price."""
    charged = 0.0
    for usage in state.usages:
        details = usage["prompt_tokens_details"]
        cached, written = details["cached_tokens"], details["cache_write_tokens"]
        charged += usage["prompt_tokens"] - cached - written + 0.1 * cached + 1.25 * written
    return charged


async def test_gpt_5_6_gets_marks_and_one_cache_key_for_each_debate(tmp_path: Path) -> None:
    change = tmp_path / "x.diff"
    change.write_bytes(adding("a.py", *(f"value_{n} = compute({n})" for n in range(2000))))
    state = Thinking(300)
    async with thinking(state):
        bases = {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": f"{state.base}/v1"}
        played = await typed(
            tmp_path, None, "code_review", str(change), "--yes",
            env={**bases, "DEBATE_MODELS": "openai/gpt-5.6"},
        )  # fmt: skip
    marks = [_marks(body) for body in state.requests]
    prompts = sum(u["prompt_tokens"] for u in state.usages)
    assert all(1 <= number <= 4 for number in marks)
    assert {body["prompt_cache_key"] for body in state.requests} == {played.outcome["id"]}
    assert spent(state) < 0.6 * prompts
    usd = 4e-6 * spent(state) + 2e-5 * sum(u["completion_tokens"] for u in state.usages)
    assert played.outcome["cost"]["usd"] == pytest.approx(usd, rel=1e-4)


def _marks(body: dict[str, Any]) -> int:
    contents = [m["content"] for m in body["messages"] if isinstance(m["content"], list)]
    return sum("prompt_cache_breakpoint" in block for blocks in contents for block in blocks)


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def overloaded(_body: dict[str, Any]) -> web.Response:
    return web.json_response(OVERLOADED, status=529)


async def test_an_overloaded_provider_is_said_at_once_and_given_up_after_two_minutes(
    tmp_path: Path,
) -> None:
    clock = Hurried()
    began = clock.now()
    async with thinking(Thinking(refuse=overloaded)) as state:
        played = await reviewed(
            tmp_path, state, "anthropic/claude-sonnet-5", make_models=partial(Watched, clock=clock)
        )
    assert played.code == 3
    assert (clock.now() - began).total_seconds() <= 125
    assert played.out.count("anthropic is overloaded: the bot tries again for at most 110 s") == 1
    assert "overloaded" in played.out.lower()


async def test_another_provider_is_asked_instead_of_an_overloaded_one(tmp_path: Path) -> None:
    clock = Hurried()
    began = clock.now()

    def refuse(body: dict[str, Any]) -> web.Response | None:
        return overloaded(body) if "claude" in body["model"] else None

    async with thinking(Thinking(refuse=refuse)) as state:
        models, shared = "anthropic/claude-sonnet-5,openai/gpt-5.6", _Shared()
        make = partial(Watched, clock=clock, shared=shared)
        played = await reviewed(tmp_path, state, models, make_models=make)
        assert played.outcome["verdict"]["reached"], played.out
        assert (clock.now() - began).total_seconds() <= 40
        calls = len([body for body in state.requests if "claude" in body["model"]])
        await clock.sleep(120)
        again = await reviewed(tmp_path, state, models, "--fresh", make_models=make)
    assert again.outcome["verdict"]["reached"], again.out
    assert len([body for body in state.requests if "claude" in body["model"]]) == calls
    assert again.out.count("anthropic was overloaded a few minutes ago") == 1
