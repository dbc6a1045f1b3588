"""Whole reviews whose models look into the repository, against a provider and a forge over
sockets.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot import settings
from bot.wire.parts import open_parts
from core.debate.events import DebateRequest
from core.debate.lookups import LOOKUPS
from core.debate.prompting.form import task_of
from core.debate.state import Debate
from core.words.outcome.report import report
from tests.adapters.material.test_surroundings import DIFF, FILES, LINK
from tests.bot.conftest import held
from tests.bot.debates.provider import Provider, by_schema, hosted
from tests.standins.github import HEAD, GitHubStandIn, Pull
from tests.standins.openai import Say, openai

FAR = {**FILES, "far/config.py": "LIMIT = 7\nRETRIES = 3\n"}
QUOTE = "RETRIES = 3"


class Reader(Provider):
    """Models that read one file again and again while they are let, and quote it."""

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        if body.get("tools") and body.get("tool_choice") != "none" and not _mends(body):
            call = ("read", json.dumps({"path": "far/config.py"}))
            return await self._say(request, Say(calls=(call, call)))
        return await self._say(request, Say((json.dumps(_spoken(body)),)))


def _mends(body: dict[str, Any]) -> bool:
    return "could not be read" in str(body["messages"][-1]["content"])


def _spoken(body: dict[str, Any]) -> dict[str, Any]:
    if "response_format" in body:
        return by_schema(body)
    return {
        "text": "It is tried three times.",
        "stance": {"option": "comment", "confidence": 0.7, "because": "so"},
        "claims": [{"text": "It is tried three times", "quote": QUOTE}],
    }


@pytest.fixture
async def forge() -> AsyncIterator[GitHubStandIn]:
    async with GitHubStandIn().running() as standin:
        standin.pulls["o/r", 412] = Pull(diff=DIFF)
        standin.trees[HEAD] = FAR
        yield standin


async def reviewed(
    folder: Path, forge: GitHubStandIn, provider: Provider, rounds: int = 2, **env: str
) -> tuple[Debate, list[str]]:
    """Plays a review and returns it with the notes before it."""
    async with hosted(folder, provider, GITHUB_API_URL=forge.url, **env) as parts:
        debate = await held(parts, "code_review", LINK, rounds=rounds)
        again = await parts.service.load(debate.id)
        prepared = await parts.service.price(debate.request)
    return again, prepared.lines


async def test_seats_look_things_up_and_what_they_quote_is_checked(
    tmp_path: Path, forge: GitHubStandIn
) -> None:
    provider = Reader()
    debate, lines = await reviewed(tmp_path, forge, provider)
    looked = {t: statement.sources for t, statement in debate.finished.items() if statement.sources}
    turns = {t.id: t for t in debate.turns if t.id in debate.finished}
    arguing = {t.id for t in turns.values() if not t.closing and t.seat in debate.voters}
    assert set(looked) == arguing, "whoever closes looks nothing up"
    [source] = {source for row in looked.values() for source in row}
    assert (source.title, source.text) == ("far/config.py:1-3", FAR["far/config.py"])
    texts = [
        str(m["content"]) for body in provider.requests for m in body["messages"]
        if m["role"] == "tool"
    ]  # fmt: skip
    assert sum(text.startswith("far/config.py:1-3") for text in texts) > len(arguing)
    most = max(sum(m["role"] == "tool" for m in body["messages"]) for body in provider.requests)
    assert most == 2 * LOOKUPS, "two calls an answer, as long as it may ask"
    assert any("a turn has 3 look-ups" in text for text in texts)
    assert f"| 2 {QUOTE}" in texts[0]
    claiming = {t for t in arguing if "claims" in task_of(debate, turns[t]).asks}
    for statement in (debate.finished[t] for t in claiming):
        assert statement.claims == () or statement.unverified == (), "it quotes what it looked up"
    rendered = report(debate)
    assert "- looked up · `far/config.py:2`" in rendered
    assert f"https://github.com/o/r/blob/{HEAD}/far/config.py#L1" in rendered
    assert any("can look into the repository" in line for line in lines)


async def test_nothing_is_looked_up_where_the_operator_says_so(
    tmp_path: Path, forge: GitHubStandIn
) -> None:
    provider = Provider()
    debate, lines = await reviewed(tmp_path, forge, provider, 1, DEBATE_LOOKUPS="0")
    assert not debate.open.terms.lookups
    assert not any(body.get("tools") for body in provider.requests)
    assert not any("look into" in line for line in lines)


RULES = {
    "a/AGENTS.md": "Totals are sums of cents.\n",
    "docs/adr/0007-cents.md": "# 7. Cents\n\nStatus: accepted\n\nSee a/total.py.\n",
}


async def test_a_priced_review_reads_the_rules_and_records_below_the_root_too(
    tmp_path: Path, forge: GitHubStandIn
) -> None:
    """It reads the same as a review without a question about its price."""
    request = DebateRequest("code_review", LINK, "slack:T1/U1", "slack:T1/C1")
    forge.trees[HEAD] = FILES | RULES
    async with hosted(tmp_path, Provider(), GITHUB_API_URL=forge.url) as parts:
        at_once = (await parts.service.prepare(request)).opened.material
        priced = await parts.service.price(request)
        after_price = (await parts.service.prepare(request)).opened.material
    assert "a/AGENTS.md" in at_once.facts["guidelines"]
    assert at_once.records
    assert after_price == at_once
    assert priced.read.around


HOUSE = """
[[models]]
name = "house/one"
address = "{base}"
model = "one"
window = 100000
price = {{ prompt = 0, completion = 0 }}
can = ["tools"]
"""


async def test_a_server_of_ones_own_looks_up_where_its_file_says_that_it_can(
    tmp_path: Path, forge: GitHubStandIn
) -> None:
    provider = Reader()
    file = tmp_path / "models.toml"
    async with openai(provider):
        file.write_text(HOUSE.format(base=provider.base))
        env = {
            "DEBATE_DATABASE_URL": f"sqlite:///{tmp_path}/debate.db",
            "DEBATE_MODELS": "house/one",
            "DEBATE_MODELS_FILE": str(file),
            "GITHUB_API_URL": forge.url,
        }
        async with open_parts(settings.read(env, tmp_path)) as parts:
            debate = await held(parts, "code_review", LINK, rounds=2)
    assert debate.open.terms.lookups
    looked = [statement.sources for statement in debate.finished.values() if statement.sources]
    assert {source.title for row in looked for source in row} == {"far/config.py:1-3"}
