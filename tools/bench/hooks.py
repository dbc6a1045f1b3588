"""Webhooks under load and under kill -9: how far the healthy receiver is behind while another one
answers 500 and a third one hangs, and whether anything is lost or gets a second id.

``python -m tools.bench.hooks [--events 10000] [--rate 100] [--kills 200] [--postgres]``: all events
go while nobody dies, and as many while the sending process is killed again and again at random
points. ``--only behind`` and ``--only kills`` do one of the two.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import random
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path

from adapters.hooks import Announcement, HookKind, message
from bot.hooks.keys import newest_secret
from bot.hooks.send import HookSender
from bot.keep import keep
from core.application.webhooks import Hook
from core.debate.log import Append, Outgoing, PostOp
from core.debate.state import begin
from storage.database import Database
from storage.debates import Debates
from storage.hooks import Hooks
from storage.outbox import Outbox
from storage.schema import open_database
from tests.standins.hooks import Receiver, receiving
from tests.storage.samples import requested
from tools.bench.stores import postgres

KEY = "ab" * 32
OF_DEBATE = 10
"""Messages about one debate."""
LAST = 120.0
"""Seconds in which more of what is left has to arrive."""


class Clock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def _nobody(_hook: Hook, _why: str) -> None:
    """Does nothing, because nobody has to know why a webhook ended."""


async def _nothing() -> None:
    """Posts nothing."""


def _sender(database: Database, owner: str) -> HookSender:
    return HookSender(
        Hooks(database), Outbox(database), Clock(), owner, KEY, ("127.0.0.1",), _nobody,
        idle=0.05,
    )  # fmt: skip


def _send(address: str, owner: str, ready: Event) -> None:
    """Runs a process that sends until it is killed."""

    async def run() -> None:
        database = await open_database(address)
        await Outbox(database).recover()
        ready.set()
        await _sender(database, owner).run()

    asyncio.run(run())


@dataclass(frozen=True)
class Town:
    """The database at ``address`` and the three receivers, the healthy one first."""

    address: str
    database: Database
    hooks: Sequence[Hook]
    healthy: Receiver

    async def feed(self, count: int, rate: float, name: str) -> dict[str, str]:
        """Stores messages for all three receivers, ``rate`` a second, and returns the texts that
        the healthy receiver has to get, by id.
        """
        wanted: dict[str, str] = {}
        began = time.monotonic()
        for number in range(-(-count // OF_DEBATE)):
            id = f"{name}{number}"
            request = requested(id=id)
            debates = Debates(self.database)
            await debates.create(request, id)
            log = await debates.claim(id, "bench")
            debate = begin(request)
            for n in range(1, OF_DEBATE + 1):
                posts = []
                for hook in self.hooks:
                    announcement = Announcement(HookKind.STARTED)
                    body = message(hook.id, n, debate, announcement, datetime.now(UTC), full=False)
                    posts.append(Outgoing(f"{id}:{n}", hook.outbox, PostOp.WEBHOOK, body))
                    if hook is self.hooks[0]:
                        wanted[body["id"]] = body["text"]
                await log.append(Append(id, 1, posts=tuple(posts)))
                due = began + len(wanted) / rate
                await asyncio.sleep(max(0.0, due - time.monotonic()))
        return wanted

    async def arrived(self, wanted: dict[str, str]) -> None:
        """Waits until all messages are there, for a limited time, because a lost one never
        comes.
        """
        until, count = time.monotonic() + LAST, len(self.healthy.taken)
        while wanted.keys() - {one.id for one in self.healthy.taken}:
            if len(self.healthy.taken) > count:
                until, count = time.monotonic() + LAST, len(self.healthy.taken)
            if time.monotonic() > until:
                return
            await asyncio.sleep(0.1)


async def _town(stack: AsyncExitStack, *, on_postgres: bool) -> Town:
    healthy = await stack.enter_async_context(receiving(pause=0.02))
    broken = await stack.enter_async_context(receiving(500))
    mute = await stack.enter_async_context(receiving(pause=60.0))
    if on_postgres:
        address = stack.enter_context(postgres())
    else:
        address = str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "debate.db")
    database = await open_database(address)
    stack.push_async_callback(database.close)
    hooks = [
        await Hooks(database).add("", one.address, (HookKind.STARTED,), "shell:me", full=False)
        for one in (healthy, broken, mute)
    ]
    healthy.secret = newest_secret(KEY, hooks[0])
    return Town(address, database, hooks, healthy)


async def _behind(events: int, rate: float, *, on_postgres: bool) -> None:
    async with AsyncExitStack() as stack:
        town = await _town(stack, on_postgres=on_postgres)
        tasks = [
            asyncio.create_task(_sender(town.database, "a").run()),
            # the poster, which has nothing to post and is woken by the same event
            asyncio.create_task(keep("post", _nothing, 1.0, town.database.posted)),
        ]
        wanted = await town.feed(events, rate, "behind")
        await town.arrived(wanted)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        lags = sorted(
            one.at - datetime.fromisoformat(json.loads(one.body)["timestamp"]).timestamp()
            for one in town.healthy.taken
        )
        if not lags:
            print("nothing arrived")
            return
        figures = ", ".join(f"p{p} {lags[(len(lags) - 1) * p // 100]:.2f} s" for p in (50, 99, 100))
        print(f"{len(wanted)} events, {rate:.0f} a second: the healthy one is behind {figures}")
        _check(town, wanted)


async def _killed(events: int, rate: float, kills: int, *, on_postgres: bool) -> None:
    spawn = multiprocessing.get_context("forkserver")
    spawn.set_forkserver_preload(["bot.hooks.send", "storage.schema", "tests.storage.samples"])
    async with AsyncExitStack() as stack:
        town = await _town(stack, on_postgres=on_postgres)

        async def begin_one(number: int) -> BaseProcess:
            ready = spawn.Event()
            owner = f"p{number}"
            process = spawn.Process(target=_send, args=(town.address, owner, ready), daemon=True)
            process.start()
            await asyncio.to_thread(ready.wait)
            return process

        # there is something to send at each kill
        rate = min(rate, events / max(1, kills))
        feeding = asyncio.create_task(town.feed(events, rate, "killed"))
        draw = random.Random(7)
        for number in range(kills):
            process = await begin_one(number)
            await asyncio.sleep(draw.uniform(0.0, 0.3))
            process.kill()
            process.join()
        amid = len(town.healthy.taken)
        process = await begin_one(kills)
        try:
            wanted = await feeding
            await town.arrived(wanted)
        finally:
            process.kill()
            process.join()
        print(f"{len(wanted)} events, {kills} kills, {amid} arrivals between them")
        _check(town, wanted)


def _check(town: Town, wanted: dict[str, str]) -> None:
    """Prints what the reference verifier refused, what was lost and what came twice or changed."""
    bodies_by_id: dict[str, set[str]] = {}
    for one in town.healthy.taken:
        bodies_by_id.setdefault(one.id, set()).add(one.body.decode())
    lost = len(wanted.keys() - bodies_by_id.keys())
    second = sum(bodies != {wanted.get(id, "")} for id, bodies in bodies_by_id.items())
    twice = len(town.healthy.taken) - len(bodies_by_id)
    refused = town.healthy.refused
    print(f"  lost {lost}, second ids or bytes {second}, refused {refused}, sent again {twice}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--only", choices=("behind", "kills"))
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    if options.only != "kills":
        asyncio.run(_behind(options.events, options.rate, on_postgres=options.postgres))
    if options.only != "behind":
        asyncio.run(
            _killed(options.events, options.rate, options.kills, on_postgres=options.postgres)
        )


if __name__ == "__main__":
    main()
