"""A provider that never answers costs only the calls that find that out: no seat is asked to close
a debate without statements.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from bot.debates.opening.terms import allowed_tools
from core.debate.events import DebateRequest
from storage.database.lock import RunnerLock
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import PERSON, Watched, configured, opened, typed
from tests.standins.clock import Hurried
from tests.standins.openai import Fail, openai


@pytest.mark.parametrize("template", ["code_review", "architecture_review", "panel"])
async def test_where_every_opening_fails_nobody_closes(tmp_path: Path, template: str) -> None:
    change = tmp_path / "x.diff"
    change.write_bytes(adding("a.py", "x = 1"))
    target = str(change) if template == "code_review" else "Shall we move to one database?"
    played = await typed(
        tmp_path, None, template, target, "--yes", env={"DEBATE_MODELS": "scripted:fail"}
    )
    turns = [t for r in played.outcome["rounds"] for t in r["turns"]]
    assert played.code == 3
    assert {t["task"] for t in turns if t["failed"]} == {"open"}, "nobody else was asked"
    assert len(played.prompts) == 3, "after three failures the provider is left alone"


@pytest.mark.parametrize("format", ["contested", "phased"])
@pytest.mark.parametrize("models", ["openai/gpt-4.1", "openai/gpt-4.1,openai/gpt-4.1-mini"])
async def test_a_provider_that_answers_429_to_everything_is_asked_for_the_openings_alone(
    tmp_path: Path, format: str, models: str
) -> None:
    """No opening is asked for more than six times, for two minutes in all, and nothing after
    them.
    """
    clock = Hurried()
    began = clock.now()
    change = tmp_path / "x.diff"
    change.write_bytes(adding("a.py", "x = 1"))
    async with openai() as provider:
        provider.answers = [Fail(429, "Rate limit reached")]
        played = await typed(
            tmp_path,
            None,
            "code_review",
            str(change),
            "--yes",
            f"--format={format}",
            env=provider.settings(models),
            make_models=partial(Watched, clock=clock),
        )
    turns = [t for r in played.outcome["rounds"] for t in r["turns"]]
    assert played.code == 3
    assert played.outcome["status"] == "failed"
    assert {t["task"] for t in turns if t["failed"]} == {"open"}
    assert len(provider.requests) <= 6 * sum(bool(t["failed"]) for t in turns)
    assert (clock.now() - began).total_seconds() <= 125
    waits = "openai takes no more calls for now: the bot tries again for at most 110 s"
    assert played.out.count(waits) == 1, played.out
    assert "rate limited (HTTP 429, “Rate limit reached”)" in played.out


async def test_a_search_that_no_model_can_make_is_neither_announced_nor_priced(
    tmp_path: Path,
) -> None:
    env = {"DEBATE_SEARCH": "1"}
    async with opened(tmp_path, env=env) as parts:
        plain, searching = [
            await parts.service.prepare(
                DebateRequest("panel", "Shall we move?", PERSON, PERSON, search=search)
            )
            for search in (False, True)
        ]
    lines = [line for line in searching.lines if "search" in line]
    assert lines == ["no web search: no model here is known to use tools"]
    assert (searching.opened.terms.search, searching.cost) == (False, plain.cost)


@pytest.mark.parametrize(("here", "there"), [("1", ""), ("", "1")])
async def test_what_may_be_searched_is_what_the_bot_that_plays_allows(
    tmp_path: Path, here: str, there: str
) -> None:
    """A shell beside a running bot has settings of its own, and the bot plays."""
    able = {"OPENAI_API_KEY": "sk-test-0123456789abcdef", "DEBATE_MODELS": "openai/gpt-4.1-mini"}
    question = DebateRequest("triad", "Shall we move?", PERSON, PERSON, search=True)
    allows = allowed_tools(configured(tmp_path, {"DEBATE_SEARCH": there}))
    async with opened(tmp_path, env={"DEBATE_SEARCH": here, **able}) as parts:
        with RunnerLock(tmp_path / "debate.db", allows):
            beside = await parts.service.prepare(question)
        alone = await parts.service.prepare(question)
    assert beside.opened.terms.search is bool(there)
    assert alone.opened.terms.search is bool(here)
    refused = "no web search: it is not enabled here (DEBATE_SEARCH=1 enables it)"
    assert (refused in beside.lines, refused in alone.lines) == (not there, not here)
