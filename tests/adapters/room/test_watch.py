"""Browsers join and leave the watch over a debate, and it ends in time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from adapters.room.live import LINKED, LONGEST
from adapters.room.outgoing.view import DebateView
from adapters.room.watch import Watch, Watcher
from core.debate.events import Event
from core.words.outcome import outcome
from tests.core.table import table


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
