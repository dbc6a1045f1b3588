"""Debates on a model server of one's own, fast or slow: the announced duration, and the time for
which an answer is awaited.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web

from adapters.models import Vendors
from adapters.models.pace import PATIENCE, ModelPace, OwnMachine
from bot import settings
from bot.wire.parts import Parts, open_parts
from core.debate.errors import BadInput
from core.debate.events import DebateRequest
from core.debate.ports import CallOptions, Message
from core.words.outcome.report import report
from tests.bot.conftest import held
from tests.bot.debates.provider import Provider, prompt_of
from tests.standins.openai import Say, openai

MODEL = "llama_server/local-model"
QUESTION = "Should the queue of jobs live in PostgreSQL?"


class Server(Provider):
    """A llama-server that answers by the schema. ``most`` is the most requests it had under way at
    once, ``measured`` how often it was asked to count tokens.
    """

    def __init__(self) -> None:
        super().__init__()
        self.most = self.now = self.measured = 0

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if "Count from one" in prompt_of(body):
            self.measured += 1
            self.requests.append(body)
            return await self._say(request, Say(("one two three",)))
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.02)
        try:
            return await super().chat(request)
        finally:
            self.now -= 1


@asynccontextmanager
async def served(
    folder: Path, server: Server, pace: ModelPace | None = None
) -> AsyncIterator[Parts]:
    async with openai(server):
        env = {
            "DEBATE_DATABASE_URL": f"sqlite:///{folder}/debate.db",
            "DEBATE_MODELS": MODEL,
            "DEBATE_LOCAL_WINDOW": "32000",
            "LLAMA_SERVER_API_BASE": server.base,
        }
        async with open_parts(settings.read(env, folder)) as parts:
            if pace is not None:
                parts.models.shared.machines["llama_server"] = OwnMachine({MODEL: pace})
            yield parts


@dataclass
class Ticking:
    """A clock that shows these seconds, one after the other."""

    seconds: list[float]

    def now(self) -> datetime:
        return datetime(2026, 5, 3, tzinfo=UTC) + timedelta(seconds=self.seconds.pop(0))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@pytest.mark.parametrize(
    ("seconds", "pace"),
    [
        ([0.0, 4.0, 7.0], ModelPace(25.0, 3.0)),
        ([0.0, 20.0, 21.0, 0.0, 0.5, 1.0], ModelPace(200.0, 18.0)),
    ],
    ids=["as it is", "the model was loaded first"],
)
async def test_the_first_answer_shows_how_fast_it_is(seconds: list[float], pace: ModelPace) -> None:
    """A hundred tokens are read and ten written; times are until the first word and the last."""
    server = Server()
    async with openai(server):
        clock = Ticking([*seconds])
        models = Vendors(env={"LLAMA_SERVER_API_BASE": server.base}, clock=clock)
        try:
            assert await models.measure([MODEL, "openai/gpt-4.1"]) == {MODEL: pace}
            assert await models.measure([MODEL]) == {MODEL: pace}, "asked once"
        finally:
            await models.aclose()
    assert clock.seconds == []
    assert server.measured == len(seconds) / 3
    prompts = [prompt_of(body) for body in server.requests]
    assert len(set(prompts)) == len(prompts), "no cache answers"


class Mute(Server):
    async def chat(self, _request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(5.0)
        return web.Response(status=500)


async def test_one_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.models.pace._SECONDS", 0.1)
    async with openai(Mute()) as server:
        models = Vendors(env={"LLAMA_SERVER_API_BASE": server.base})
        try:
            paces = await models.measure([MODEL])
        finally:
            await models.aclose()
    assert paces[MODEL].write == paces[MODEL].read / 3


async def test_a_whole_debate_on_a_quick_one_tells_no_time(tmp_path: Path) -> None:
    server = Server()
    async with served(tmp_path, server, ModelPace(20_000.0, 800.0)) as parts:
        request = DebateRequest("triad", QUESTION, "ann", "shell:ann", rounds=1)
        prepared = await parts.service.prepare(request)
        debate = await held(parts, "triad", QUESTION, rounds=1)
    assert debate.status == "finished"
    assert not any("tokens a second" in line for line in prepared.lines)
    assert server.most > 1, "side by side"
    assert server.measured == 0, "it is known"


async def test_a_slow_one_says_how_long_it_takes_and_plays_it_one_after_the_other(
    tmp_path: Path,
) -> None:
    server = Server()
    async with served(tmp_path, server, ModelPace(60.0, 12.0)) as parts:
        prepared = await parts.service.prepare(DebateRequest("triad", QUESTION, "ann", "shell:ann"))
        debate = await held(parts, "triad", QUESTION)
    (note,) = [line for line in prepared.lines if "tokens a second" in line]
    assert note == (
        "llama_server/local-model reads 60 and writes 12 tokens a second here: this debate takes "
        "about 22 minutes; Ctrl-C pauses, and nothing is lost"
    )
    line = note.partition(";")[0]
    assert line in debate.open.material.notes, "and at the head of its thread"
    assert line in report(debate)
    text = "".join(prompt_of(body) for body in server.requests)
    assert "tokens a second" not in text, "no seat is told"
    assert debate.status == "finished"
    assert not debate.failed
    assert server.most == 1


async def test_one_whose_answers_would_be_given_up_is_refused_before_anything_is_said(
    tmp_path: Path,
) -> None:
    server = Server()
    async with served(tmp_path, server, ModelPace(5.0, 0.5)) as parts:
        with pytest.raises(BadInput) as refused:
            await held(parts, "triad", QUESTION)
    assert str(refused.value) == (
        "llama_server/local-model is too slow for this: it reads 5 and writes 0.5 tokens a second "
        "here, so one answer would take 20 minutes, and it is given up after 15 minutes. Choose a "
        "smaller model or a shorter text, or another model with --models."
    )
    assert server.requests == []


def test_what_is_slow_and_known_to_be_gets_twice_its_time() -> None:
    prompt, asking = [Message("user", "x" * 8000)], CallOptions(max_tokens=1200, timeout=90.0)

    def limit(pace: ModelPace) -> float:
        return OwnMachine({MODEL: pace}).limit(MODEL, prompt, asking)

    assert OwnMachine().limit(MODEL, prompt, asking) == 90.0, "nothing is known"
    assert limit(ModelPace(5000.0, 100.0)) == 90.0
    assert limit(ModelPace(100.0, 10.0)) == 2 * (20 + 120)
    assert limit(ModelPace(10.0, 1.0)) == PATIENCE
