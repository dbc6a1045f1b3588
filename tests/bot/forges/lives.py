"""The bot's work for a forge in a process of its own that can be killed: between any two lasting
steps, by itself, or by the forge while a request is under way. The processes are forked from one
that has everything imported, so a life takes a moment.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from adapters.forges.wire import Wire
from bot import settings
from bot.wire.parts import open_parts
from storage.database import Database
from storage.work import POSTS
from tests.bot.forges.town import Clock, handle

FORK = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload([__name__])


@dataclass(frozen=True)
class Life:
    """``dies_at`` is the number of the commit or request at which it dies, before it or right
    ``after``; 0 for never. ``owner`` claims posts and events; with ``takes`` it handles events
    instead of writing posts.
    """

    given: Mapping[str, str]
    folder: Path
    at: datetime
    owner: str
    dies_at: int = 0
    after: bool = False
    takes: bool = False

    def begin(self) -> BaseProcess:
        process = FORK.Process(target=_live, args=(self,), daemon=True)
        process.start()
        return process

    async def end(self) -> int:
        """Lives to its end and returns its exit code, -9 where it was killed."""
        return await ended(self.begin())


async def ended(process: BaseProcess) -> int:
    await asyncio.to_thread(process.join)
    assert process.exitcode is not None
    return process.exitcode


def _live(life: Life) -> None:
    asyncio.run(_work(life))


async def _work(life: Life) -> None:
    """Handles events, or writes the due posts and tells the thread of them, until nothing is
    due.
    """
    clock = Clock(life.at)
    read = settings.read(dict(life.given), life.folder)
    async with open_parts(read, shell=False, clock=clock) as bot:
        worker = replace(bot.worker, owner=life.owner)
        if life.dies_at:
            _mortal(life)
        if life.takes:
            await handle(worker, bot.forges)
            return
        while await worker.do_due(*POSTS):
            clock.at += timedelta(seconds=3)
        for id in await bot.stores.debates.find_runnable():
            await bot.advancer.advance(id)


def _mortal(life: Life) -> None:
    count = 0

    def dying(does: Callable[..., Awaitable[Any]]) -> Any:
        async def step(self: Any, *given: Any) -> Any:
            nonlocal count
            count += 1
            here = count == life.dies_at
            if here and not life.after:
                os.kill(os.getpid(), signal.SIGKILL)
            done = await does(self, *given)
            if here:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return step

    Database.write = dying(Database.write)  # type: ignore[method-assign]  # in this process alone
    Wire.send = dying(Wire.send)  # type: ignore[method-assign]
