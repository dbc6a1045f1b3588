"""``python -m tools.bench.room`` measures the cost of a page of the room and of watching it."""

from __future__ import annotations

import asyncio
import gc
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Page, Request, async_playwright

from adapters.room.outgoing.markup import html
from adapters.routes import waiting
from bot.wire.parts import Parts
from core.debate import events as e
from core.debate.log import Append
from core.debate.replies import Statement
from core.debate.script import TurnId
from core.debate.state import Debate, evolve, replay
from core.debate.usage import Usage
from storage.events.log import DebateLog
from tests.bot.room.serving import Served, served
from tests.browser.chromium import FLAGS, find
from tests.browser.stage import finished_review, held, keep, opened, unfinished_review
from tests.core.table import Table, script, stance
from tools.bench.__main__ import line

TURNS, CHALLENGES = 120, 380
"""A debate has no more turns; the rest of 500 statements are people's."""
WATCHERS = 1_000
EVENTS = 60
RUNS, FRESH = 15, 7
waiting.MOST = 2 * WATCHERS  # all of them are one person here
SETTLED = 10.0
"""Seconds in which the search has taken up what is new: that is not what a reader costs."""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
SEEN = """() => {
    window.seen = {};
    new MutationObserver(() => {
        for (const turn of document.querySelectorAll('.turn'))
            window.seen[turn.id] ??= performance.timeOrigin + performance.now();
    }).observe(document.querySelector('#rounds'), {childList: true, subtree: true});
}"""
SPEECH = (
    "The retry is right in spirit and wrong in one line: the key is drawn inside `attempt`, so "
    "each try is a new charge.\n\nA time-out does not say that **nothing** happened. "
)


async def long(parts: Parts, id: str, *, end: bool) -> Table:
    """Returns a debate of as many turns as there may be; without an ``end`` only its first has
    begun.
    """
    made = await opened(parts, id, parts.clock.now())
    request, begun = made.events
    assert isinstance(begun, e.DebateOpened)
    seats = [str(seat.id) for seat in begun.script.seats if seat.votes][:4]
    turns = [f"t{n} {seats[n % 4]} round={n // 10}" for n in range(TURNS - 1)]
    turns.append(f"end {seats[0]} round={TURNS // 10} closing")
    planned = script(seats, turns)
    cast = {seat.id: ("openai/gpt-5",) for seat in planned.seats}
    made = Table([request, replace(begun, script=planned, cast=cast)])
    if not end:
        return made.add(e.TurnStarted(TurnId("t0")))
    for n, turn in enumerate(planned.turns):
        made.says(turn.id, stance("comment"), text=f"In {turn.id}: {SPEECH * 3}")
        for x in range(CHALLENGES * n // TURNS, CHALLENGES * (n + 1) // TURNS):
            made.challenges(f"On {turn.id}: {SPEECH}", seats[0], id=f"x{x}")
    return made.concluded()


async def first_byte(room: Served) -> tuple[float, float, float]:
    """Returns the processor seconds of this process for a page with many statements: to the first
    byte for its first reader and for the next ones, and to the last byte for its first reader.
    """
    now = room.parts.clock.now()
    small = await keep(room.parts, await finished_review(room.parts, "smlx4k7q", now))
    await reading(room, small)  # templates are compiled
    fresh = [f"lng{n}4k7q" for n in range(FRESH)]
    for id in fresh:
        await keep(room.parts, (await long(room.parts, id, end=True)).events)
    await asyncio.sleep(SETTLED)
    first, last = [], []
    for id in fresh:
        html.cache_clear()
        begun, whole = await reading(room, id)
        first.append(begun)
        last.append(whole)
    again = [(await reading(room, fresh[0]))[0] for _ in range(RUNS)]
    return statistics.median(first), statistics.median(again), statistics.median(last)


async def reading(room: Served, id: str) -> tuple[float, float]:
    """Returns the processor seconds to the first byte and to the last one."""
    gc.collect()
    before = time.process_time()
    async with room.web.get(f"{room.bot.address}/d/{id}") as answer:
        await answer.content.readany()
        begun = time.process_time() - before
        assert answer.status == 200
        await answer.read()
        return begun, time.process_time() - before


@asynccontextmanager
async def browser_page(link: str) -> AsyncIterator[Page]:
    """Returns a page of a browser that came in by the link."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        page = await browser.new_page()
        await page.request.get(link)
        yield page
        await browser.close()


async def painted(page: Page, address: str) -> float:
    """Returns the milliseconds to the first content, in a browser that was there before."""
    times = []
    for _ in range(RUNS):
        await page.goto(address, wait_until="load")
        while (at := await page.evaluate(PAINTED)) is None:  # noqa: ASYNC110 (a browser has no event)
            await asyncio.sleep(0.01)
        times.append(float(at))
    return statistics.median(times)


async def weight(page: Page, address: str) -> int:
    """Returns the bytes over the wire for a page and everything that it loads, by a browser that
    knows nothing yet; the stream itself apart.
    """
    loaded: list[Request] = []
    page.on("requestfinished", lambda request: loaded.append(request))  # noqa: PLW0108  it takes functions of Python alone
    await page.goto(address, wait_until="load")
    await asyncio.sleep(0.5)
    sizes = [await one.sizes() for one in loaded if not one.url.endswith("/live")]
    return sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)


class Player:
    """Plays a debate on as a runner does: stores an event, then announces it."""

    def __init__(self, parts: Parts, log: DebateLog, debate: Debate) -> None:
        self._parts, self._log, self.debate = parts, log, debate
        self._turns = iter([turn.id for turn in debate.turns])
        self._spoken = next(self._turns)

    async def step(self) -> tuple[str, float]:
        """Ends a turn and begins the next one; returns its id, and when that was stored."""
        turn, statement = next(self._turns), Statement(SPEECH * 3, stance("comment"))
        usage = Usage(5200, 3100, 410, 0.011, 21_000, 6.4)
        events = (
            e.TurnFinished(self._spoken, statement, usage, "openai/gpt-5"),
            e.TurnStarted(turn),
        )
        append = Append(self.debate.id, self.debate.count, events, status="running")
        await self._log.append(append)
        stored = time.time()
        for event in events:
            self.debate = evolve(self.debate, event)
            for listener in self._parts.advancer.event_listeners:
                listener(event, self.debate)
        self._spoken = turn
        return f"turn-{turn}", stored


@asynccontextmanager
async def playing(room: Served, id: str) -> AsyncIterator[Player]:
    made = await long(room.parts, id, end=False)
    await keep(room.parts, made.events)
    async with held(room.parts, id) as log:
        yield Player(room.parts, log, replay(made.events))


async def latency(room: Served, page: Page) -> list[float]:
    """Returns the seconds from the commit of an event until the page shows it."""
    stored = {}
    async with playing(room, "ltnc4k7q") as player:
        await page.goto(f"{room.bot.address}/d/ltnc4k7q")
        await page.wait_for_selector("main[data-link=open]")
        await page.evaluate(SEEN)
        for _ in range(RUNS * 2):
            turn, at = await player.step()
            stored[turn] = at
            await asyncio.sleep(0.2)
    seen: dict[str, Any] = await page.evaluate("window.seen")
    return [seen[turn] / 1000 - at for turn, at in stored.items()]


def resident() -> int:
    """Returns the bytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


async def spent(player: Player) -> float:
    """Returns the processor seconds for a number of events, one at a time."""
    before = time.process_time()
    for _ in range(EVENTS):
        await player.step()
        await asyncio.sleep(0.06)
    return (time.process_time() - before) / EVENTS


async def crowd(room: Served) -> tuple[float, float]:
    """Returns what a hundred watchers add to each event, in seconds of processor, and the bytes for
    each watcher.
    """
    async with watched(room, "fewx4k7q", 1) as player:
        few = await spent(player)
        before = resident()
    async with watched(room, "many4k7q", WATCHERS) as player:
        many = await spent(player)
        after = resident()
    return (many - few) / (WATCHERS / 100), (after - before) / WATCHERS


@asynccontextmanager
async def watched(room: Served, id: str, count: int) -> AsyncIterator[Player]:
    port = urlsplit(room.bot.address).port
    cookie = "; ".join(f"{one.key}={one.value}" for one in room.web.cookie_jar)
    words = (str(port), f"/d/{id}/live?after=3", str(count), cookie)
    async with playing(room, id) as player:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tools.bench.watchers", *words,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            assert await process.stdout.readline() == b"ready\n"
            await asyncio.sleep(1.0)
            yield player
        finally:
            process.kill()
            await process.wait()


async def in_browser(room: Served) -> None:
    if not find():
        line("in a browser", "not assessed", "no Chromium: see make test-browser")
        return
    now = room.parts.clock.now()
    running = await keep(room.parts, await unfinished_review(room.parts, "rnng5t8w", now))
    address = f"{room.bot.address}/d/{running}"
    async with held(room.parts, running), browser_page(await room.link()) as page:
        line("live page, bytes with all it loads", f"{await weight(page, address):,}", "bar 60,000")
        milliseconds = await painted(page, address)
        line("live page, first content painted", f"{milliseconds:.0f} ms", "bar 300 ms")
        took = await latency(room, page)
        figure = f"{statistics.median(took) * 1000:.0f} ms"
        line("from commit to browser", figure, f"bar 100 ms, worst {max(took) * 1000:.0f} ms")


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with served(Path(folder)) as room:
            first, again, last = await first_byte(room)
            what = f"a page of {TURNS + CHALLENGES} statements, CPU to the first byte"
            whole = f"to the last one {last * 1000:.0f} ms"
            line(f"{what}, first reader", f"{first * 1000:.1f} ms", f"bar 30 ms; {whole}")
            line(f"{what}, next readers", f"{again * 1000:.1f} ms", "bar 30 ms")
            await in_browser(room)
            cpu, memory = await crowd(room)
            what = f"{WATCHERS:,} watchers: added CPU an event for each hundred"
            line(what, f"{cpu * 1000:.2f} ms", "bar 1 ms")
            line(f"{WATCHERS:,} watchers: memory of each", f"{memory / 1000:.1f} kB", "bar 20 kB")


if __name__ == "__main__":
    asyncio.run(main())
