"""The one retry layer, with a clock that nobody has to wait for."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from random import Random

import pytest

from adapters.models.limits import Queue
from adapters.models.retry import Breaker, Retrying
from adapters.models.scripted import Answer, Scripted
from core.debate.errors import ModelError
from core.debate.ports import CallOptions, Message
from tests.standins.clock import Hurried

PROMPT = (Message("user", "hello"),)


class Clock(Hurried):
    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        await super().sleep(seconds)


class Top(Random):
    def uniform(self, a: float, b: float) -> float:
        return b


def error(kind: str, wait: float | None = None) -> ModelError:
    return ModelError(kind, kind, retry_after=wait)


def retrying(
    clock: Clock, *replies: Answer, breaker: Breaker | None = None
) -> tuple[Retrying, Scripted]:
    model = Scripted(replies=replies)
    return Retrying(model, breaker or Breaker("p", clock), clock, draw=Top()), model


async def outcome(model: Retrying) -> str:
    try:
        return (await model.reply(PROMPT, CallOptions())).text
    except ModelError as failed:
        return failed.kind


TRIES = {
    "rate_limited": [1.0, 2.0, 4.0, 8.0, 16.0],
    "provider_down": [1.0, 2.0],
    "timeout": [1.0],
    "no_key": [],
    "bad_key": [],
    "no_credit": [],
    "context_too_long": [],
    "refused_by_policy": [],
    "bad_reply": [],
}


@pytest.mark.parametrize("kind", TRIES)
async def test_each_kind_is_tried_as_often_as_it_can_help(kind: str) -> None:
    waits = TRIES[kind]
    clock = Clock()
    model, inner = retrying(clock, *[error(kind)] * 9)
    assert await outcome(model) == kind
    assert clock.slept == waits
    assert len(inner.seen) == len(waits) + 1


@pytest.mark.parametrize(("named", "waits"), [(7.5, [7.5]), (60.0, [60.0]), (61.0, [])])
async def test_the_wait_that_the_provider_named_is_kept_unless_too_long(
    named: float, waits: list[float]
) -> None:
    clock = Clock()
    model, _ = retrying(clock, error("rate_limited", named), "fine")
    assert await outcome(model) == ("fine" if waits else "rate_limited")
    assert clock.slept == waits


async def test_after_three_failures_nobody_asks_for_a_minute_then_one_tries() -> None:
    clock = Clock()
    breaker = Breaker("p", clock)
    model, _ = retrying(clock, *[error("provider_down")] * 9, breaker=breaker)
    assert await outcome(model) == "provider_down"
    other, asked = retrying(clock, error("provider_down"), "fine", "fine", breaker=breaker)
    with pytest.raises(
        ModelError,
        match=r"\w+ p failed 3 times in a row and is left alone for 60 s more. Next: wait, or",
    ) as open_:
        await other.reply(PROMPT, CallOptions())
    assert (open_.value.retry_after, asked.seen) == (60.0, [])
    clock.time += timedelta(seconds=61)
    assert await outcome(other) == "provider_down"
    assert len(asked.seen) == 1, "a failed probe opens the breaker again at once"
    clock.time += timedelta(seconds=61)
    assert [await outcome(other), await outcome(other)] == ["fine", "fine"]
    assert breaker.failures == 0


async def test_half_open_lets_one_call_through_and_a_cancelled_probe_frees_the_place() -> None:
    clock = Clock()
    breaker = Breaker("p", clock, failures=3, opened=clock.now().timestamp() - 61)
    started = asyncio.Event()

    async def hang(_: float) -> None:
        started.set()
        await asyncio.Event().wait()

    probe = asyncio.create_task(
        Retrying(Scripted(latency=1, sleep=hang), breaker, clock).reply(PROMPT, CallOptions())
    )
    await started.wait()
    second, inner = retrying(clock, "fine", breaker=breaker)
    assert await outcome(second) == "provider_down"
    assert inner.seen == []
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe
    assert await outcome(second) == "fine"


async def test_a_provider_that_takes_one_call_at_a_time_is_waited_for_while_it_answers() -> None:
    clock = Clock()
    breaker, queue, answered = Breaker("p", clock), Queue(clock), asyncio.Event()

    async def answer(_: float) -> None:
        await answered.wait()

    slow = Retrying(Scripted(latency=1, sleep=answer), breaker, clock, queue=queue)
    first = asyncio.create_task(slow.reply(PROMPT, CallOptions()))
    await asyncio.sleep(0)
    inner = Scripted(replies=[error("rate_limited"), "fine"])
    second = asyncio.create_task(outcome(Retrying(inner, breaker, clock, queue=queue)))
    for _ in range(5000):
        await asyncio.sleep(0)
    assert sum(clock.slept) > 300
    assert not second.done()
    answered.set()
    await first
    assert await second == "fine"


async def test_a_rate_limit_does_not_open_the_breaker() -> None:
    clock = Clock()
    model, _ = retrying(clock, *[error("rate_limited")] * 6, "fine")
    assert [await outcome(model), await outcome(model)] == ["rate_limited", "fine"]
