"""One rule says when work that failed is tried again, and when it is given up. No handler waits for
another one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from adapters.forges.refusals import NotAllowed, OutcomeUnknown, RateLimited
from bot.work import TRIES, GivenUp, Worker, wait_after
from core.application.presence import DeliveryError
from core.debate.errors import BadInput, CouldNotFinish
from storage.leases import RowState
from storage.schema import open_database
from storage.work import LEASE, Work, WorkQueue, WorkRow
from tests.bot.forges.town import Clock
from tests.patience import PATIENCE

NOW = datetime(2026, 5, 3, 10, 0, tzinfo=UTC)


def test_waits_grow_and_tries_end() -> None:
    cases: list[tuple[Exception, list[float | None], int | None]] = [
        (CouldNotFinish("x"), [2, 4, 8], TRIES),
        (OutcomeUnknown("x"), [2, 4, 8], TRIES),
        (DeliveryError("retry", "x", 5.0), [5, 5, 8], TRIES),
        (RuntimeError("a defect"), [30, 30, 30], TRIES),
        (NotAllowed("x"), [2, None], 2),
        (BadInput("x"), [None], 1),
        (GivenUp("x"), [None], 1),
        (RateLimited("x", None), [60, 120, 240], None),
        (RateLimited("x", NOW + timedelta(minutes=9)), [540, 540], None),
        (RateLimited("x", NOW - timedelta(minutes=9)), [1, 1], None),
    ]
    for error, waits, last in cases:
        assert [wait_after(error, n, NOW) for n in range(1, len(waits) + 1)] == waits
        ended = [n for n in range(1, 40) if wait_after(error, n, NOW) is None]
        assert ended[:1] == ([last] if last else [])


@given(st.integers(1, 10_000), st.floats(0, 5000))
def test_a_wait_is_no_shorter_than_asked_for(attempt: int, after: float) -> None:
    wait = wait_after(DeliveryError("retry", "x", after), attempt, NOW)
    assert wait is None or wait >= after
    assert wait is None or wait <= max(after, 900)


@dataclass
class Doing:
    """A handler that does what a test wants."""

    kinds: tuple[str, ...]
    act: Callable[[WorkRow], Awaitable[None]]
    given_up: list[str] = field(default_factory=list)

    async def do(self, row: WorkRow) -> None:
        await self.act(row)

    async def give_up(self, row: WorkRow, error: Exception, reason: str) -> None:
        self.given_up.append(reason)


async def test_a_handler_that_hangs_keeps_no_other_from_working(tmp_path: Path) -> None:
    clock, tries = Clock(), list[str]()
    done, over = asyncio.Event(), asyncio.Event()
    database = await open_database(str(tmp_path / "debate.db"), clock.now)
    queue = WorkQueue(database)

    async def hang(row: WorkRow) -> None:
        tries.append(row.work.key)
        await over.wait()

    async def finish(row: WorkRow) -> None:
        await queue.done(row)
        done.set()

    handlers = (Doing(("slow",), hang), Doing(("quick",), finish))
    worker = Worker(queue, handlers, clock, "me")
    running = asyncio.create_task(worker.run())
    try:
        await queue.add(*(Work(f"s{n}", "slow", {}) for n in range(9)))
        for n in range(3):
            clock.go(minutes=5)  # the claims of what hangs have ended, and it is not begun again
            done.clear()
            await queue.add(Work(f"q{n}", "quick", {}))
            async with asyncio.timeout(PATIENCE):
                await done.wait()
        assert tries == ["s0", "s1", "s2", "s3"], "its share, each once"
    finally:
        over.set()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await database.close()


async def test_work_that_takes_longer_than_a_claim_is_left_to_its_process(tmp_path: Path) -> None:
    clock, began, done, over = Clock(), asyncio.Event(), asyncio.Event(), asyncio.Event()
    database = await open_database(str(tmp_path / "debate.db"), clock.now)
    queue = WorkQueue(database)

    async def take_long(row: WorkRow) -> None:
        began.set()
        await over.wait()
        assert await queue.done(row), "the claim is its own to the end"

    async def finish(row: WorkRow) -> None:
        await queue.done(row)
        done.set()

    handlers = (Doing(("slow",), take_long), Doing(("quick",), finish))
    running = asyncio.create_task(Worker(queue, handlers, clock, "me").run())
    try:
        async with asyncio.timeout(PATIENCE):
            await queue.add(Work("s", "slow", {}))
            await began.wait()
            for n in range(3):
                clock.at += 0.75 * LEASE
                done.clear()
                await queue.add(Work(f"q{n}", "quick", {}))
                await done.wait()
                assert await queue.claim("other", ("slow",)) == []
    finally:
        over.set()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        row = await queue.find("s")
        await database.close()
    assert row is not None
    assert row.state == RowState.DONE


async def test_a_defect_costs_a_try_and_at_last_the_work(tmp_path: Path) -> None:
    clock, tries = Clock(), list[bool]()
    database = await open_database(str(tmp_path / "debate.db"), clock.now)
    queue = WorkQueue(database)

    async def broken(row: WorkRow) -> None:
        tries.append(row.unconfirmed)
        raise ZeroDivisionError

    handler = Doing(("odd",), broken)
    worker = Worker(queue, (handler,), clock, "me")
    await queue.add(Work("w", "odd", {}))
    while await worker.do_due("odd"):
        clock.go(minutes=20)
    assert tries == [False, *([True] * (TRIES - 1))]
    assert handler.given_up == [f"given up after {TRIES} tries: a defect: ZeroDivisionError"]
    assert await queue.claim("me", ("odd",)) == []
    await database.close()
