"""Budgets end to end, with models that cost: per debate, per day and per person, and what always
stays for the closing turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from adapters.ports.model import WrappedModel
from bot.debates.budgets import day_of
from bot.wire.base import SystemClock
from bot.wire.parts import Parts, open_parts
from core.debate.events import DebateRequest, EndReason
from core.debate.ports import CallOptions, Clock, Message, Model, Models, OnWords, Price, Reply
from core.debate.spoken import OUT_OF_MONEY
from core.debate.state import Debate
from core.words.outcome import outcome
from tests.bot.calls import spent, states
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import Given, with_advancer
from tests.origins import origin

TOKEN = Price(1e-5, 2e-5)


class Noon(SystemClock):
    """The machine's clock, set so that no day ends during a test."""

    def __init__(self) -> None:
        now = super().now()
        self.ahead = now.replace(hour=12, minute=0) - now

    def now(self) -> datetime:
        return super().now() + self.ahead


NOON = Noon()


@dataclass(frozen=True)
class Priced:
    """Implements ``core.debate.ports.Models`` around the scripted ones, with a price."""

    inner: Models

    def get(self, name: str) -> Model:
        return PricedModel(self.inner.get(name))

    def price(self, name: str) -> Price:
        return TOKEN

    def default(self) -> Sequence[str]:
        return self.inner.default()


class PricedModel(WrappedModel):
    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        reply = await self.inner.reply(messages, asking, on_words)
        usd = reply.usage.prompt_tokens * (TOKEN.prompt or 0) + reply.usage.completion_tokens * (
            TOKEN.completion or 0
        )
        return replace(reply, usage=replace(reply.usage, usd=usd))


@asynccontextmanager
async def parts_at(
    folder: Path,
    models: tuple[str, ...] = ("scripted",),
    url: str = "",
    clock: Clock | None = None,
    **more: Any,
) -> AsyncIterator[Parts]:
    settings = replace(
        settings_for(url or str(folder / "debate.db"), folder, **more), models=models
    )
    async with open_parts(settings, shell=False, clock=clock) as parts:
        priced = Priced(parts.models)
        service = replace(parts.service, preparer=replace(parts.service.preparer, models=priced))
        priced_parts = replace(parts, service=service)
        yield with_advancer(priced_parts, service=service, models=Given(priced))


async def play(
    parts: Parts,
    source: str,
    *,
    asker: str = ASKER,
    place: str = PLACE,
    budget: float | None = None,
    template: str = "triad",
) -> Debate:
    question = "Should the queue of jobs live in PostgreSQL?"
    id = await parts.service.take(
        DebateRequest(template, question, asker, place, vote_window=0.0, budget=budget),
        origin(source),
    )
    return await parts.advancer.advance(id)


async def test_a_debates_budget_ends_it_early_with_a_report(tmp_path: Path) -> None:
    async with parts_at(tmp_path) as parts:
        # the whole is about 0.10, but calls are counted at the most they may cost: 0.22 for the
        # first, 0.30 for the last
        budget = 0.25
        debate = await play(parts, "e2", budget=budget)
        assert debate.stop is not None
        assert debate.stop.reason is EndReason.BUDGET
        assert debate.finished
        assert debate.skipped, "what the budget does not pay for was not asked"
        assert debate.spent <= budget
        closing = [turn for turn in debate.turns if turn.closing]
        assert closing
        assert all(turn.id in debate.finished for turn in closing), (
            "the reserve paid for the closing turn"
        )
        document = outcome(debate)
        assert document["ended_because"] == "budget"
        assert document["report"]


async def test_the_days_budget_counts_all_debates_of_the_day(tmp_path: Path) -> None:
    async with parts_at(tmp_path, clock=NOON) as parts:
        first = await play(parts, "e1")
        whole = first.spent
        assert first.status == "finished"
        assert whole == pytest.approx(await spent(parts, first.open.at))
        assert whole > 0.01, "without limits it costs what it costs"
    async with parts_at(tmp_path, clock=NOON, daily_budget=whole + 0.25) as parts:
        second = await play(parts, "e2")
        assert second.stop is not None
        assert (second.stop.reason, second.stop.detail) == (
            EndReason.BUDGET,
            "the day's budget is used up",
        )
        day = second.open.at.replace(hour=0)
        assert second.finished
        assert await spent(parts, day) <= whole + 0.25


async def test_debates_at_once_never_spend_more_than_the_day_has(url: str, tmp_path: Path) -> None:
    """Money that other debates have in flight, or need for their closing turns, is not spent
    twice.
    """
    before = 0.0
    for budget, least in ((0.1, 0), (0.25, 1), (0.6, 2)):  # 0.22 pays for the first and last turns
        limit = before + budget
        async with parts_at(tmp_path, url=url, clock=NOON, daily_budget=limit) as parts:
            debates = await asyncio.gather(*(play(parts, f"{budget}:{n}") for n in range(3)))
            after = await spent(parts, day_of(parts.clock.now()))
        assert after - before <= budget
        before = after
        refused = [debate for debate in debates if debate.failure]
        assert all("The day's budget has" in debate.failure for debate in refused)
        stopped = {debate.stop.detail for debate in debates if debate.stop}
        assert stopped <= {"the day's budget is used up"}
        assert stopped or refused
        begun = [debate for debate in debates if debate.started]
        assert len(begun) >= least
        assert all(
            turn.id in debate.finished for debate in begun for turn in debate.turns if turn.closing
        ), "whoever began has a report"


@dataclass(frozen=True)
class Silent(Priced):
    """Models that never answer; ``heard`` is set by each request."""

    heard: asyncio.Event = field(default_factory=asyncio.Event)

    def get(self, name: str) -> Model:
        return SilentModel(self.inner.get(name), self.heard)


@dataclass
class SilentModel(PricedModel):
    heard: asyncio.Event

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        self.heard.set()
        await asyncio.Event().wait()
        raise AssertionError("it never answers")


async def test_calls_whose_process_is_killed_count_as_spent(tmp_path: Path) -> None:
    """Else a process that dies again and again would be billed for ever."""
    async with parts_at(tmp_path, clock=NOON, daily_budget=0.6) as priced:
        silent = Silent(priced.models)
        parts = with_advancer(priced, models=Given(silent))
        request = DebateRequest("triad", "Shall we?", ASKER, PLACE, vote_window=0.0)
        id = await parts.service.take(request, origin("e1"))
        killed, day = 0, day_of(parts.clock.now())
        while not (debate := await parts.service.load(id)).over and killed < 20:
            silent.heard.clear()
            playing = asyncio.create_task(parts.advancer.advance(id))
            hearing = asyncio.create_task(silent.heard.wait())
            await asyncio.wait((playing, hearing), return_when=asyncio.FIRST_COMPLETED)
            killed += not playing.done()
            playing.cancel()
            hearing.cancel()
            await asyncio.gather(playing, hearing, return_exceptions=True)
        assert 1 < killed < 20
        assert set(await states(parts)) >= {"lost"}
        assert {f for f in debate.failed.values() if "budget" in f} == {OUT_OF_MONEY}
        assert 0.0 < await spent(parts, day) <= 0.6


async def test_a_persons_budget_is_nobody_elses_and_one_in_all_servers(tmp_path: Path) -> None:
    async with parts_at(tmp_path, clock=NOON) as parts:
        whole = (await play(parts, "e1", asker="discord:1/9", place="discord:1/5")).spent
        whole += (await play(parts, "e2", asker="discord:2/9", place="discord:2/5")).spent
    async with parts_at(tmp_path, clock=NOON, person_budget=whole * 2.25) as parts:
        assert (await play(parts, "e3", asker="discord:3/9", place="discord:3/5")).stop is not None
        assert (await play(parts, "e4", asker="discord:3/10", place="discord:3/5")).stop is None


async def test_the_next_model_of_the_cast_takes_over_and_a_seat_that_is_gone_is_named(
    tmp_path: Path,
) -> None:
    async with parts_at(tmp_path, models=("scripted:fail", "scripted")) as parts:
        debate = await play(parts, "e1", template="panel")
        assert debate.status == "finished"
        assert not debate.failed
        assert set(debate.models.values()) == {"scripted"}
    async with parts_at(tmp_path, models=("scripted:fail",)) as parts:
        debate = await play(parts, "e2")
        document = outcome(debate)
        gone = [turn for round in document["rounds"] for turn in round["turns"] if turn["failed"]]
        assert gone
        assert all(turn["failed"].startswith("scripted:fail ") for turn in gone)
        assert sum(document["votes"]["final"].values()) == document["votes"]["final"]["none"] > 0
        assert debate.status == "failed"
