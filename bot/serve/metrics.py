"""The bot's metrics for Prometheus. Counters are this process's own; gauges of debates, posts,
schedules and costs are read from the database at each scrape.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from time import monotonic
from typing import Any, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from adapters.models.retry import Breaker
from adapters.ports.model import WrappedModel, WrappedModels
from core.application.webhooks import PLATFORM
from core.debate import events as e
from core.debate.engine import TokenListener
from core.debate.errors import ModelError
from core.debate.ports import CallOptions, Message, Models, OnWords, Reply
from core.debate.script import Turn
from core.debate.state import Debate
from core.debate.status import DebateStatus
from core.debate.usage import Usage
from storage.debates import Debates
from storage.debates.calls import Spending
from storage.outbox import Outbox
from storage.schedules import Schedules

T = TypeVar("T", Counter, Gauge, Histogram)
_SECONDS = (0.1, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 90, 120)
_LAGS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5)
_EVERY = 1.0
"""Seconds between two measurements of the event loop's delay."""
_PLACES = 50


class BotMetrics:
    """One registry per process, so that two bots in one process do not share figures. ``now`` is
    the clock of the stored rows.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.registry = CollectorRegistry()

        def made(kind: type[T], name: str, text: str, *labels: str, **more: Any) -> T:
            return kind(name, text, labels, registry=self.registry, namespace="debatebot", **more)

        self.debates = made(Gauge, "debates", "Debates by status.", "status")
        self.here = made(Gauge, "debates_here", "Debates that this process plays now.")
        self.queue_age = made(
            Gauge, "queue_age_seconds", "Age of the oldest item that waits, by queue.", "queue"
        )
        self.posts_open = made(Gauge, "posts_open", "Posts that wait or are under way.")
        self.posts_uncertain = made(
            Gauge, "posts_uncertain", "Posts that a person has to decide about."
        )
        self.webhooks_open = made(
            Gauge, "webhooks_open", "Messages to webhooks that wait or are under way."
        )
        self.schedule_lag = made(
            Gauge, "schedule_lag_seconds", "Lateness of the most overdue schedule."
        )
        self.turns = made(Counter, "turns", "Turns by result.", "template", "result")
        text = "Calls of models by result: ok or the kind of failure."
        self.calls = made(Counter, "model_calls", text, "model", "result")
        text = "Duration of calls of models."
        self.seconds = made(Histogram, "model_call_seconds", text, "model", buckets=_SECONDS)
        self.tokens = made(Counter, "model_tokens", "Tokens by kind.", "model", "kind")
        self.usd = made(Counter, "model_cost_usd", "Cost of calls with a known price.", "model")
        text = "Deliveries by what became of them."
        self.posts = made(Counter, "posts", text, "platform", "result")
        text = "Calls of models that wait for an answer."
        self.in_flight = made(Gauge, "model_calls_in_flight", text, "model")
        text = "From a command to the first words of its debate."
        self.first_words = made(
            Histogram, "first_words_seconds", text, "template", buckets=_SECONDS
        )
        text = "Cost since midnight UTC of debates in a place, the fifty dearest."
        self.spent_today = made(Gauge, "cost_today_usd", text, "place")
        text = "By how much the event loop was late for what it had to do."
        self.loop_lag = made(Histogram, "loop_lag_seconds", text, buckets=_LAGS)
        self._silent: dict[str, tuple[datetime, str]] = {}
        ProcessCollector(registry=self.registry)

    def around(self, models: Models) -> Models:
        """Returns the models with every call counted."""
        return WrappedModels(models, lambda model: MeasuredModel(model, self))

    def watch_circuits(self, breakers: Mapping[str, Breaker]) -> None:
        """Adds the state of the providers to the figures: those that are there at each scrape."""
        self.registry.register(_Circuits(breakers))

    async def measure_loop(self) -> None:
        """Measures the event loop's delay until it is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + _EVERY
            await asyncio.sleep(_EVERY)
            self.loop_lag.observe(max(0.0, loop.time() - due))

    def hearing(self, token_listener: TokenListener) -> TokenListener:
        """Wraps ``token_listener`` to measure when a debate's first words come.

        If nobody watches there is no listener: an answer that is streamed costs far more than one
        that is not, and without streaming the first words are the whole answer.
        """

        def listener(debate: str, turn: Turn) -> OnWords | None:
            inner = token_listener(debate, turn)
            if inner is None or debate not in self._silent:
                return inner

            def words(text: str) -> None:
                self._heard(debate)
                inner(text)

            return words

        return listener

    def _heard(self, debate: str) -> None:
        if (start := self._silent.pop(debate, None)) is not None:
            at, template = start
            seconds = (self._now() - at).total_seconds()
            self.first_words.labels(template).observe(max(0.0, seconds))

    def count_event(self, event: e.Event, debate: Debate) -> None:
        """Counts turns (``core.debate.engine.EventListener``)."""
        match event:
            case e.DebateOpened():
                self._silent[debate.id] = (debate.requested.at, debate.request.template)
            case e.TurnFinished():  # of a model that says nothing before it has said all
                self._heard(debate.id)
            case _:
                if debate.over:
                    self._silent.pop(debate.id, None)
        results: dict[type, str] = {
            e.TurnFinished: "finished",
            e.TurnFailed: "failed",
            e.TurnSkipped: "skipped",
        }
        if result := results.get(type(event)):
            self.turns.labels(debate.request.template, result).inc()

    def count_delivery(self, platform: str, what: str) -> None:
        """Counts deliveries (``bot.posting.failures.Count``)."""
        self.posts.labels(platform, what).inc()

    async def exposition(
        self, debates: Debates, outbox: Outbox, schedules: Schedules, spending: Spending
    ) -> bytes:
        """Returns all metrics in Prometheus' text form; the gauges are read from the database
        now.
        """
        midnight = datetime.combine(self._now().astimezone(UTC).date(), time.min, UTC)
        spent = await spending.by_place(midnight, _PLACES)
        self.spent_today.clear()
        for place, usd in spent.items():
            self.spent_today.labels(place).set(usd)
        counts = await debates.count_by_status()
        # a receiver of webhooks that is away for days is its owner's matter and alarms nobody here
        backlog = await outbox.count_backlog(outside=PLATFORM)
        for status in DebateStatus:
            self.debates.labels(status).set(counts.get(status, 0))
        self.queue_age.labels("debates").set(await debates.measure_queue_age())
        self.queue_age.labels("posts").set(backlog.age)
        messages = await outbox.count_backlog(within=PLATFORM)
        self.queue_age.labels("webhooks").set(messages.age)
        self.webhooks_open.set(messages.open)
        self.posts_open.set(backlog.open)
        self.posts_uncertain.set(backlog.uncertain)
        self.schedule_lag.set(await schedules.measure_lag())
        return generate_latest(self.registry)


class _Circuits(Collector):
    """A collector that reads the providers' state at each scrape."""

    def __init__(self, breakers: Mapping[str, Breaker]) -> None:
        self._breakers = breakers

    def collect(self) -> Iterable[Metric]:
        tried = CounterMetricFamily(
            "debatebot_model_retries",
            "Calls that were made once more after a failure.",
            labels=["provider"],
        )
        alone = GaugeMetricFamily(
            "debatebot_circuit_open",
            "Whether a provider is left alone after failures in a row.",
            labels=["provider"],
        )
        for name, breaker in self._breakers.items():
            tried.add_metric([name], breaker.retries)
            alone.add_metric([name], float(breaker.open))
        return tried, alone


@dataclass(eq=False, slots=True)
class MeasuredModel(WrappedModel):
    """Counts the calls of a model."""

    metrics: BotMetrics

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        began, result = monotonic(), "cancelled"
        flying = self.metrics.in_flight.labels(self.name)
        flying.inc()
        try:
            reply = await self.inner.reply(messages, asking, on_words)
            result = "ok"
        except ModelError as error:
            result = error.kind
            self._count(error.usage or Usage())
            raise
        finally:
            flying.dec()
            self.metrics.calls.labels(self.name, result).inc()
            self.metrics.seconds.labels(self.name).observe(monotonic() - began)
        self._count(reply.usage)
        return reply

    def _count(self, usage: Usage) -> None:
        for kind, count in (
            ("prompt", usage.prompt_tokens),
            ("cached", usage.cached_tokens),
            ("completion", usage.completion_tokens),
        ):
            self.metrics.tokens.labels(self.name, kind).inc(count)
        if usage.usd is not None:
            self.metrics.usd.labels(self.name).inc(usage.usd)
