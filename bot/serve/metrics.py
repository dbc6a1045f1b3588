"""What the bot tells Prometheus.

Counters are this process's own; gauges are asked of the database when somebody looks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from core import events as e
from core.debate import Debate
from core.errors import ModelError
from core.ports import CallOptions, Message, Model, Models, OnWords, Price, Reply
from storage.debates import Debates
from storage.outbox import Outbox
from storage.schedules import Schedules

_STATUSES = ("queued", "running", "waiting", "paused", "finished", "stopped", "failed")
_SECONDS = (0.1, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 90, 120)


class Metrics:
    """One registry per process, so that two bots in one process do not share figures."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        own: Any = {"registry": self.registry, "namespace": "debatebot"}
        self.debates = Gauge("debates", "Debates by status.", ["status"], **own)
        self.queue_age = Gauge(
            "queue_age_seconds", "Age of the oldest item that waits, by queue.", ["queue"], **own
        )
        self.posts_open = Gauge("posts_open", "Posts that wait or are under way.", **own)
        self.posts_uncertain = Gauge(
            "posts_uncertain", "Posts that a person has to decide about.", **own
        )
        self.schedule_lag = Gauge(
            "schedule_lag_seconds", "Lateness of the most overdue schedule.", **own
        )
        self.turns = Counter("turns", "Turns by result.", ["template", "result"], **own)
        self.calls = Counter(
            "model_calls",
            "Calls of models by result: ok or the kind of failure.",
            ["model", "result"],
            **own,
        )
        self.seconds = Histogram(
            "model_call_seconds", "Duration of calls of models.", ["model"], buckets=_SECONDS, **own
        )
        self.tokens = Counter("model_tokens", "Tokens by kind.", ["model", "kind"], **own)
        self.usd = Counter("model_cost_usd", "Cost of calls with a known price.", ["model"], **own)
        self.posts = Counter(
            "posts", "Deliveries by what became of them.", ["platform", "result"], **own
        )

    def count_event(self, event: e.Event, debate: Debate) -> None:
        """Counts turns: ``core.engine.EventListener``."""
        results: dict[type, str] = {
            e.TurnFinished: "finished",
            e.TurnFailed: "failed",
            e.TurnSkipped: "skipped",
        }
        if result := results.get(type(event)):
            self.turns.labels(debate.request.template, result).inc()

    def count_delivery(self, platform: str, what: str) -> None:
        """Counts deliveries: ``bot.posting.deliver.Noted``."""
        self.posts.labels(platform, what).inc()

    async def exposition(self, debates: Debates, outbox: Outbox, schedules: Schedules) -> bytes:
        """Everything, in Prometheus' text form; the gauges are asked of the database now."""
        counts, backlog = await debates.count_by_status(), await outbox.count_backlog()
        for status in _STATUSES:
            self.debates.labels(status).set(counts.get(status, 0))
        self.queue_age.labels("debates").set(await debates.measure_queue_age())
        self.queue_age.labels("posts").set(backlog.age)
        self.posts_open.set(backlog.open)
        self.posts_uncertain.set(backlog.uncertain)
        self.schedule_lag.set(await schedules.measure_lag())
        return generate_latest(self.registry)


@dataclass(frozen=True, slots=True)
class MeasuredModels:
    """Implements ``core.ports.Models`` around another one and counts every call."""

    inner: Models
    metrics: Metrics

    def get(self, name: str) -> Model:
        return _MeasuredModel(self.inner.get(name), self.metrics)

    def price(self, name: str) -> Price:
        return self.inner.price(name)

    def default(self) -> Sequence[str]:
        return self.inner.default()


@dataclass(frozen=True, slots=True)
class _MeasuredModel:
    """Implements ``core.ports.Model``."""

    inner: Model
    metrics: Metrics

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def family(self) -> str:
        return self.inner.family

    @property
    def demo(self) -> bool:
        return self.inner.demo

    @property
    def window(self) -> int:
        return self.inner.window

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        began, result = time.monotonic(), "cancelled"
        try:
            reply = await self.inner.reply(messages, asking, on_words)
            result = "ok"
        except ModelError as error:
            result = error.kind
            raise
        finally:
            self.metrics.calls.labels(self.name, result).inc()
            self.metrics.seconds.labels(self.name).observe(time.monotonic() - began)
        usage = reply.usage
        for kind, count in (
            ("prompt", usage.prompt_tokens),
            ("cached", usage.cached_tokens),
            ("completion", usage.completion_tokens),
        ):
            self.metrics.tokens.labels(self.name, kind).inc(count)
        if usage.usd is not None:
            self.metrics.usd.labels(self.name).inc(usage.usd)
        return reply
