"""One process, one SQLite file: a task per debate that has something to do, and nothing for one that waits.

No leases: the operating system's lock beside the file keeps a second runner out, so at the start every debate that is not over is ours,
except those that a living shell on this machine is playing.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from datetime import timedelta

from bot.wiring import House
from core.debate import Debate
from core.engine import wakes
from core.errors import Fenced
from storage.database import sqlite_file
from storage.debates import ENDED, DebateLine
from storage.lock import RunnerLock

logger = logging.getLogger(__name__)
LOOK = 2.0
"""Seconds between two looks for work that nobody rang for (a shell's new debate, a time that has come)."""


class LocalRuntime:
    """Implements ``bot.runtime.Runtime``."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.again: set[str] = set()
        self.stopping = False
        file = sqlite_file(house.database.url)
        self.lock = RunnerLock(file) if file is not None else None
        self._look: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Raises ``BadInput`` when another runner is there."""
        if self.lock is not None:
            self.lock.acquire()
        await self.house.outbox.recover()
        for line in await self.house.debates.listed(limit=10_000):
            if line.status not in (*ENDED, "paused", "waiting") and not played_elsewhere(line, self.house.owner):
                self.wake(line.id)
        self.house.on_news.append(self._news)
        self._look = asyncio.create_task(self._look_around(), name="runtime-look")

    def wake(self, debate: str) -> None:
        if self.stopping:
            return
        if debate in self.tasks:
            self.again.add(debate)
            return
        self.tasks[debate] = asyncio.create_task(self._advance(debate), name=f"advance:{debate}")

    async def stop(self) -> None:
        self.stopping = True
        if self._look is not None:
            self._look.cancel()
        for task in self.tasks.values():
            task.cancel()
        if self.tasks:
            await asyncio.wait(self.tasks.values(), timeout=5)
        if self.lock is not None:
            self.lock.release()

    def _news(self, debate: str) -> None:
        """A running debate hears its own bell; one that rests is woken. Rings for all are left to the next look."""
        if debate and debate not in self.tasks:
            self.wake(debate)

    async def _advance(self, id: str) -> None:
        debate: Debate | None = None
        try:
            debate = await self.house.advancer.advance(id)
        except Fenced:
            logger.info("another process took the debate over", extra={"action": "fenced", "debate": id})
        except asyncio.CancelledError:
            raise
        except Exception:  # one debate's defect must not end the others; the next look tries it again
            logger.exception("advance failed", extra={"action": "advance_failed", "debate": id})
        finally:
            self.tasks.pop(id, None)
        if debate is not None and (at := wakes(debate)) is not None and not self.stopping:
            asyncio.get_running_loop().call_later(max(0.0, (at - self.house.clock.now()).total_seconds()), self.wake, id)
        if id in self.again:
            self.again.discard(id)
            self.wake(id)

    async def _look_around(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            with suppress(asyncio.TimeoutError):
                for id in await self.house.debates.runnable(stale=timedelta(seconds=45)):
                    if id not in self.tasks:
                        self.wake(id)


def played_elsewhere(line: DebateLine, mine: str) -> bool:
    """Whether a living process of this machine, not ours, holds the debate (a shell that was there before the bot)."""
    host, _, pid = line.owner.rpartition(":")
    if not line.owner or line.owner == mine or host != mine.rpartition(":")[0] or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
