"""Events for browsers as bytes, positions as a browser counts them, and the words of another
process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request
from hypothesis import given
from hypothesis import strategies as st

from adapters.room.outgoing.view import DebateView
from adapters.room.stream import (
    DONE,
    PING,
    framed,
    from_unit,
    note_event,
    position,
    units,
    words_event,
)
from adapters.room.watch import BREATH, FULL, Watch, Watcher
from core.debate.script import TurnId
from core.words.outcome import outcome
from tests.adapters.room.test_watch import Wire, no_news
from tests.core.table import Table, table
from tests.standins.discord_world import until


def _watch(t: Table | None = None) -> Watch:
    debate = (t or table()).debate
    view = DebateView(debate, outcome(debate))
    return Watch(no_news, lambda _debate, _parent: view, None, debate, {}, None)


def _watcher(wire: Wire | None = None, *, chunked: bool = False, until: float = 0.0) -> Watcher:
    return Watcher(wire or Wire(), chunked, asyncio.get_running_loop().create_future(), until)


def _heard(*words: tuple[int, str]) -> str:
    async def hear() -> str:
        watch = _watch()
        for at, text in words:
            watch.hear("t1", at, text)
        return watch.spoken.get("t1", "")

    return asyncio.run(hear())


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ([(0, "It ")], "It "),
        ([(0, "It "), (3, "fails")], "It fails"),
        ([(0, "It "), (4, "fails")], "It "),
        ([(1, "t")], ""),
        ([(0, "It fails"), (3, "holds")], "It holds"),
        ([(0, "It fails"), (0, "It fails")], "It fails"),
        ([(0, "It fails"), (3, "")], "It "),
        ([(0, "😀"), (2, "!")], "😀!"),
        ([(0, "😀"), (3, "!")], "😀"),
    ],
)
def test_words_of_another_process_go_on_where_they_fit(
    words: list[tuple[int, str]], whole: str
) -> None:
    assert _heard(*words) == whole


async def test_who_watches_is_sent_the_words_together_and_only_what_is_new() -> None:
    watch, wire = _watch(), Wire()
    watch.hear("t1", 0, "It ")
    watch.join(_watcher(wire), None, "")
    assert wire.sent == words_event({"t1": (0, "It ")})
    await asyncio.sleep(BREATH * 1.5)
    wire.sent = b""
    watch.hear("t1", 3, "fails")
    watch.speak("t2", "Yes")
    await until(lambda: wire.sent, what="the new words")
    assert wire.sent == words_event({"t1": (3, "fails"), "t2": (0, "Yes")})


async def test_a_turn_that_is_settled_says_no_more() -> None:
    watch = _watch(table().says("t1", "approve"))
    watch.hear("t1", 0, "late")
    watch.speak("t1", "late")
    assert watch.spoken == {}
    assert TurnId("t1") in watch.debate.settled


async def test_who_joins_is_told_why_all_wait_and_that_the_debate_is_over() -> None:
    quiet, waiting, over = Wire(), Wire(), Wire()
    _watch().join(_watcher(quiet), None, "")
    assert quiet.sent == b""
    _watch().join(_watcher(waiting, chunked=True), None, "Fetching")
    assert waiting.sent == framed(note_event("Fetching"))
    t = table().says("t1", "approve").says("t2", "approve").says("t3", "approve").says("end")
    ended = _watch(t.concluded(closed=True))
    assert ended.debate.final
    ended.join(_watcher(over), None, "")
    assert over.sent == DONE


async def test_a_watch_is_idle_once_the_last_browser_has_left() -> None:
    watch, one, other = _watch(), _watcher(), _watcher()
    since = []
    steps: tuple[Callable[[], None], ...] = (
        lambda: watch.join(one, None, ""),
        lambda: watch.join(other, None, ""),
        lambda: watch.leave(one, 5.0),
        lambda: watch.leave(other, 6.0),
        lambda: watch.join(one, None, ""),
    )
    for step in steps:
        step()
        since.append(watch.idle_since)
    assert since == [None, None, None, 6.0, None]


async def test_a_browser_stays_until_its_time_is_over() -> None:
    watch, wire = _watch(), Wire()
    watcher = _watcher(wire, until=7.0)
    watch.join(watcher, None, "")
    watch.ping(7.0)
    assert (watcher.done.done(), wire.sent) == (False, PING)
    watch.ping(7.5)
    assert watcher.done.done()


class _Slow(Wire):
    def __init__(self, waiting: int, *, closing: bool = False) -> None:
        super().__init__()
        self._waiting, self._closing = waiting, closing

    def get_write_buffer_size(self) -> int:
        return self._waiting

    def is_closing(self) -> bool:
        return self._closing


async def test_a_browser_that_is_too_slow_or_gone_is_let_go_of() -> None:
    sent = []
    for wire in (_Slow(FULL), _Slow(FULL + 1), _Slow(0, closing=True)):
        watcher = _watcher(wire)
        watcher.send(b"x", b"framed")
        watcher.let_go()
        sent.append(wire.sent)
    assert sent == [b"x", b"", b""]


@given(st.text(max_size=20), st.integers(0, 20))
def test_positions_are_those_of_a_browser(text: str, at: int) -> None:
    sixteen = text.encode("utf-16-le", "surrogatepass")
    assert units(text) == len(sixteen) // 2
    assert from_unit(text, at) == sixteen[2 * at :].decode("utf-16-le", "replace")


@pytest.mark.parametrize(
    ("sent", "count"),
    [
        ({"Last-Event-ID": "3"}, 3), ({"Last-Event-ID": "9"}, 7), ({"Last-Event-ID": "x"}, 0),
        ({"Last-Event-ID": "12345678"}, 7), ({"Last-Event-ID": "000000001"}, 0),
        ({"Last-Event-ID": "١"}, 0),
    ],
)  # fmt: skip
def test_a_browser_says_which_state_it_shows(sent: dict[str, Any], count: int) -> None:
    assert position(make_mocked_request("GET", "/d/d1/live", sent), 7) == count


def test_an_event_is_framed_by_its_length_in_bytes() -> None:
    assert note_event("é") == 'event: note\ndata: {"text":"é"}\n\n'.encode()
    assert framed(b"x" * 17) == b"11\r\n" + b"x" * 17 + b"\r\n"
    assert words_event({"t1": (2, "a")}) == b'event: words\ndata: {"t1":[2,"a"]}\n\n'
