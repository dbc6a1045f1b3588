"""The line before a provider: what its headers and refusals say holds for everybody at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from heapq import heappop, heappush
from itertools import count

import pytest
from aiohttp import web

from adapters.models import Vendors, limits
from adapters.models.limits import REQUESTS, TOKENS, Queue, RateAllowance, allowance_in
from core.debate.errors import ModelError
from core.debate.ports import CallOptions, Message
from tests.patience import PATIENCE
from tests.standins.clock import Hurried
from tests.standins.openai import Fail, OpenAI, Raw, Say, openai

NOW = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
PROMPT = (Message("user", "hello"),)
ASKING = CallOptions(timeout=PATIENCE)


class Clock(Hurried):
    def __init__(self) -> None:
        super().__init__()
        self.began = self.time

    @property
    def passed(self) -> float:
        return round((self.time - self.began).total_seconds(), 3)


async def call(
    queue: Queue, tokens: float = 100, of: str = "", allowed: tuple[str, str, str] = ("", "", "")
) -> None:
    """Makes a call whose answer says the limit, what is left of it, and when it is full again."""
    names = (f"x-ratelimit-{name}-{of}" for name in ("limit", "remaining", "reset"))
    async with queue.place("m", tokens):
        limits.hear(200, dict(zip(names, allowed, strict=True)) if of else {})
        queue.succeeded()


HEADERS = {
    "x-ratelimit-{}-requests: limit 60, remaining 30, reset 30s": (REQUESTS, 60, 30, 30),
    "x-ratelimit-{}-tokens: limit 10000, remaining 9000, reset 6ms": (TOKENS, 10000, 9000, 0.006),
    "anthropic-ratelimit-requests-{}: limit 50, remaining 49, reset 2026-01-01T00:00:12Z": (
        *(REQUESTS, 50, 49, 12),
    ),
    "anthropic-ratelimit-tokens-{}: limit 40000, remaining 0, reset 2026-01-01T00:01:00Z": (
        *(TOKENS, 40000, 0, 60),
    ),
    "x-ratelimit-{}-req-minute: limit 60, remaining 59": (REQUESTS, 60, 59, 60),
    f"x-ratelimit-{{}}: limit 20, remaining 0, reset {int(NOW + 7) * 1000}": (REQUESTS, 20, 0, 7),
}


@pytest.mark.parametrize("text", HEADERS)
def test_headers_of_every_kind(text: str) -> None:
    name, _, values = text.partition(": ")
    headers = {name.format(k): v for k, v in (part.split() for part in values.split(", "))}
    kind, limit, left, seconds = HEADERS[text]
    for one in (REQUESTS, TOKENS):
        read = RateAllowance(limit, left, NOW, NOW + seconds) if one is kind else None
        assert allowance_in(headers, one, NOW, None) == read


async def test_calls_wait_for_the_tokens_that_come_back() -> None:
    clock = Clock()
    queue = Queue(clock)
    await call(queue, of="tokens", allowed=("6000", "0", "60s"))
    await call(queue, tokens=1000)
    assert clock.passed == 10.0
    await call(queue, tokens=9000)
    assert clock.passed == 60.0, "what is more than the whole limit waits for the whole"


async def test_one_model_does_not_wait_for_anothers_tokens_but_a_pause_holds_for_all() -> None:
    clock = Clock()
    queue = Queue(clock)
    await call(queue, of="tokens", allowed=("6000", "0", "60s"))
    async with queue.place("another", 5000):
        assert clock.passed == 0
    queue.limited(7.0)
    queue.limited(3.0)
    async with queue.place("another", 1):
        assert clock.passed == 7.0


async def test_what_is_in_flight_is_counted_down() -> None:
    clock = Clock()
    queue = Queue(clock)
    await call(queue, of="requests", allowed=("4", "3", "20s"))
    left: list[float] = []
    over = asyncio.Event()

    async def long() -> None:
        async with queue.place("m", 1):
            left.append(clock.passed)
            await over.wait()

    calls = [asyncio.create_task(long()) for _ in range(5)]
    async with asyncio.timeout(PATIENCE):
        while len(left) < 4:  # noqa: ASYNC110  nothing but the clock passes
            await asyncio.sleep(0)
    over.set()
    await asyncio.gather(*calls)
    assert left[:3] == [0, 0, 0]
    assert left[3] == 20.0


async def test_pauses_without_a_time_grow_until_something_is_answered() -> None:
    clock = Clock()
    queue = Queue(clock)
    ends = []
    for _ in range(7):
        queue.limited(None)
        async with queue.place("m", 1):
            ends.append(clock.passed)
    assert ends == [1, 3, 7, 15, 31, 61, 91]
    queue.succeeded()
    queue.limited(None)
    async with queue.place("m", 1):
        assert clock.passed == 92


async def test_a_pause_of_hours_is_not_waited_for() -> None:
    clock = Clock()
    queue = Queue(clock)
    queue.limited(7200.0)
    async with queue.place("m", 1):
        assert clock.passed == 0


class Standing:
    """A clock that stands still: who sleeps waits for ever. ``at_end`` is called when that ends."""

    at_end: Callable[[], object] = staticmethod(lambda: None)

    def now(self) -> datetime:
        return datetime.fromtimestamp(NOW, UTC)

    async def sleep(self, seconds: float) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.at_end()


async def one_at_a_time(queue: Queue, *models: str) -> None:
    for model in models:
        async with queue.place(model, 1):
            limits.hear(
                200, {"x-ratelimit-limit-requests": "1", "x-ratelimit-remaining-requests": "1"}
            )


async def test_a_call_that_begins_to_wait_takes_no_news_from_another() -> None:
    """The call before it is answered just as both begin to wait, each for its own model."""
    queue, left = Queue(Standing()), list[str]()
    await one_at_a_time(queue, "a", "b")

    async def call(model: str) -> None:
        async with queue.place(model, 1):
            left.append(model)

    async with queue.place("a", 1) as place, queue.place("b", 1):

        async def answer() -> None:
            queue.hear(place, 200, {})

        waiting = [asyncio.create_task(work) for work in (call("a"), answer(), call("b"))]
        for _ in range(10):  # nothing else is waited for
            await asyncio.sleep(0)
        assert left == ["a"]
    await asyncio.gather(*waiting)


async def test_a_call_that_is_given_up_just_as_its_turn_comes_does_not_leave() -> None:
    clock = Standing()
    queue, left = Queue(clock), list[str]()
    await one_at_a_time(queue, "m")

    async def call() -> None:
        async with queue.place("m", 1):
            left.append("m")

    async with queue.place("m", 1):
        waiting = asyncio.create_task(call())
        clock.at_end = waiting.cancel
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    assert not left


class Simulated:
    """A clock on which time passes when everybody sleeps."""

    def __init__(self) -> None:
        self.passed = 0.0
        self._sleeping: list[tuple[float, int, asyncio.Event]] = []
        self._numbers = count()

    def now(self) -> datetime:
        return datetime.fromtimestamp(NOW + self.passed, UTC)

    async def sleep(self, seconds: float) -> None:
        event = asyncio.Event()
        heappush(self._sleeping, (self.passed + seconds, next(self._numbers), event))
        await event.wait()

    async def run(self, *tasks: asyncio.Task[None]) -> None:
        while not all(task.done() for task in tasks):
            for _ in range(20):  # nothing but the clock is waited for afterwards
                await asyncio.sleep(0)
            if self._sleeping:
                at, _, event = heappop(self._sleeping)
                self.passed = max(self.passed, at)
                event.set()
        await asyncio.gather(*tasks)


async def test_a_hundred_debates_do_not_each_learn_a_limit_by_failing() -> None:
    """The provider takes twenty calls at a time; two hundred are made at once, and most of them
    wait for the first refusals.
    """
    clock = Simulated()
    queue, busy, refused = Queue(clock), 0, 0

    async def answered() -> bool:
        nonlocal busy, refused
        async with queue.place("m", 1):
            if busy >= 20:
                refused += 1
                await clock.sleep(0.005)
                limits.hear(429, {})
                queue.limited(0.1)
                return False
            busy += 1
            await clock.sleep(0.05)
            busy -= 1
            limits.hear(200, {})
            queue.succeeded()
            return True

    async def call() -> None:
        while not await answered():
            pass

    await clock.run(*(asyncio.create_task(call()) for _ in range(200)))
    assert refused < 60


# Over a socket


class Limited(OpenAI):
    """A provider that takes ``most`` calls at a time and refuses the others."""

    def __init__(self, most: int, seconds: float = 0.05) -> None:
        super().__init__()
        self.most, self.seconds = most, seconds
        self.busy = self.refused = 0

    async def chat(self, request: web.Request) -> web.StreamResponse:
        if self.busy >= self.most:
            self.refused += 1
            self.answers = [Fail(429, "Rate limit reached", headers={"Retry-After-Ms": "100"})]
            return await super().chat(request)
        self.busy += 1
        try:
            await asyncio.sleep(self.seconds)
            self.answers = [Say(("Fine.",))]
            return await super().chat(request)
        finally:
            self.busy -= 1


def env(server: OpenAI) -> dict[str, str]:
    return {"OPENAI_API_KEY": "k" * 20, "OPENAI_API_BASE": server.base}


async def test_a_limit_that_debates_learned_by_failing_holds_for_those_that_begin_later() -> None:
    async with openai(limited := Limited(20)):
        vendors = Vendors(env(limited))

        async def begin(debates: int) -> None:
            scoped = [vendors.scoped() for _ in range(debates)]
            calls = (d.get("openai/gpt-4.1").reply(PROMPT, ASKING) for d in scoped)
            assert {r.text for r in await asyncio.gather(*calls)} == {"Fine."}

        await begin(200)
        limited.refused = 0
        await begin(100)
        await vendors.aclose()
    assert limited.refused < 30


async def test_limits_in_headers_are_kept_without_a_refusal() -> None:
    body = {"choices": [{"message": {"content": "Fine."}, "finish_reason": "stop"}]}
    headers = {
        "Content-Type": "application/json",
        "x-ratelimit-limit-requests": "4",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "20s",
    }
    clock = Clock()
    async with openai() as server:
        server.answers = [Raw((json.dumps(body).encode(),), headers=headers)]
        vendors = Vendors(env(server), clock=clock)
        model = vendors.get("openai/gpt-4.1")
        assert (await model.reply(PROMPT, ASKING)).text == "Fine."
        assert clock.passed == 0.0
        assert (await model.reply(PROMPT, ASKING)).text == "Fine."
        await vendors.aclose()
    assert clock.passed == 5.0


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (Fail(401, "Incorrect API key provided"), "Next: set OPENAI_API_KEY to one that"),
        (Fail(402, "please pay"), "Next: top up the account"),
    ],
)
async def test_a_refused_key_is_tried_once_in_a_debate(sent: Fail, says: str) -> None:
    async with openai() as server:
        server.answers = [sent]
        vendors = Vendors(env(server))
        debate = vendors.scoped()
        names = ["openai/gpt-4.1"] * 3 + ["openai/gpt-5"] * 2
        came = await asyncio.gather(
            *(debate.get(n).reply(PROMPT, ASKING) for n in names), return_exceptions=True
        )
        late = await asyncio.gather(
            debate.get("openai/gpt-5-mini").reply(PROMPT, ASKING), return_exceptions=True
        )
        assert len(server.requests) == 1
        server.answers = [Say(("Fine.",))]
        next_one = await vendors.scoped().get("openai/gpt-4.1").reply(PROMPT, ASKING)
        await vendors.aclose()
    assert next_one.text == "Fine.", "the next debate asks anew"
    errors = [*came, *late]
    assert all(isinstance(e, ModelError) and says in str(e) for e in errors)
    assert {e.kind for e in errors if isinstance(e, ModelError)} <= {"bad_key", "no_credit"}


async def test_a_call_that_is_given_up_leaves_the_line() -> None:
    async with openai() as server:
        server.answers = [Say(("Slow.",), pause=0.0)]
        vendors = Vendors(env(server))
        model = vendors.get("openai/gpt-4.1")
        queue = vendors.shared.queues["openai"]
        queue.limited(30.0)
        waiting = [asyncio.create_task(model.reply(PROMPT, ASKING)) for _ in range(3)]
        await asyncio.sleep(0.05)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        queue._paused = 0.0
        assert (await model.reply(PROMPT, ASKING)).text == "Slow."
        await vendors.aclose()
    assert len(server.requests) == 1
