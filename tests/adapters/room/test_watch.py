"""Browsers join and leave the watch over a debate, and it ends in time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from adapters.room import live as module
from adapters.room import watch as watching
from adapters.room.live import LINKED, LONGEST, Live
from adapters.room.outgoing.view import DebateView
from adapters.room.watch import Watch, Watcher
from core.debate.errors import StoreAway
from core.debate.events import Event
from core.debate.state import Debate
from core.words.outcome import outcome
from tests.core.table import table
from tests.standins.discord_world import until


class Wire(asyncio.Transport):
    """A connection that keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        self.sent += bytes(data)

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0


async def no_news(_id: str, _after: int) -> Sequence[Event]:
    return ()


async def test_who_came_by_a_link_must_come_again_long_before_who_is_signed_in() -> None:
    debate = table().says("t1", "comment").debate
    view = DebateView(debate, outcome(debate))
    watch = Watch(no_news, lambda _debate, _parent: view, None, debate, {}, None)
    loop = asyncio.get_running_loop()
    linked, signed_in = (
        Watcher(Wire(), False, loop.create_future(), lasts) for lasts in (LINKED, LONGEST)
    )
    for watcher in (linked, signed_in):
        watch.join(watcher, None, "")
    watch.ping(LINKED)
    assert not linked.done.done()
    watch.ping(LINKED + 1)
    assert linked.done.done()
    assert not signed_in.done.done()
    watch.ping(LONGEST + 1)
    assert signed_in.done.done()


async def test_a_page_that_comes_when_nobody_has_watched_for_long_keeps_its_watch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It joins a moment later, and would hear nothing from a watch that was ended meanwhile."""
    t = table().says("t1", "comment")

    async def load(_id: str, after: int) -> Sequence[Event]:
        return t.events[after:]

    async def no_parent(_debate: Debate) -> None:
        return None

    monkeypatch.setattr(module, "_SIGN", 0.0)
    live = Live(load, no_parent, lambda debate, _parent: DebateView(debate, outcome(debate)))
    (await live.take("d1")).idle_since = -100.0
    watch = await live.take("d1")
    live.start()
    try:
        for _ in range(5):
            await asyncio.sleep(0)
        assert await live.take("d1") is watch
    finally:
        await live.stop()


async def test_a_debate_that_could_not_be_read_is_read_again_without_news(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "AWAY", 0.0)
    t, failures, wire = table().says("t1", "comment"), [1, 2, 3], Wire()

    async def load(_id: str, after: int) -> Sequence[Event]:
        if failures:
            failures.pop()
            raise StoreAway("The database is away.")
        return t.events[after:]

    first = t.debate
    watch = Watch(
        load, lambda debate, _: DebateView(debate, outcome(debate)), None, first, {}, None
    )
    watch.join(Watcher(wire, False, asyncio.get_running_loop().create_future(), 9.0), None, "")
    t.says("t2", "approve")
    running = asyncio.create_task(watch.run())
    watch.wake.set()
    await until(lambda: watch.debate.count > first.count, what="the statement")
    running.cancel()
    await asyncio.wait([running])
    assert b"event: parts" in wire.sent
