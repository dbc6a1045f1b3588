"""One process, one SQLite file: a task per debate that has something to do, and nothing for one
that waits.

No leases: the operating system's lock beside the file keeps a second runner out, so at the start
every debate that is not over is ours, except those that a living shell on this machine is playing.
"""

from __future__ import annotations

import asyncio
import logging
import os
from datetime import timedelta
from pathlib import Path

from bot.wire import House
from core.errors import Fenced
from storage.database import sqlite_file
from storage.debates import STALE
from storage.lock import RunnerLock

logger = logging.getLogger(__name__)
LOOK = 2.0
"""Seconds between two looks for work that nobody rang for: a time that has come, a shell that died.
"""


class LocalRuntime:
    """Implements ``bot.serve.runtime.Runtime``."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self._stopping = False
        file = sqlite_file(house.database.url)
        self._lock = RunnerLock(file) if file is not None else None
        self._look: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Raises ``BadInput`` when another runner is there."""
        if self._lock is not None:
            self._lock.acquire()
        await self.house.outbox.recover()
        await self._wake_all(stale=timedelta(0))
        self.house.on_news.append(self._news)
        self._look = asyncio.create_task(self._look_around(), name="runtime-look")

    def wake(self, debate: str) -> None:
        if not self._stopping and debate not in self.tasks:
            self.tasks[debate] = asyncio.create_task(
                self._advance(debate), name=f"advance:{debate}"
            )

    async def stop(self) -> None:
        self._stopping = True
        if self._look is not None:
            self._look.cancel()
        tasks = list(self.tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)
        if self._lock is not None:
            self._lock.release()

    def _news(self, debate: str) -> None:
        """A running debate hears its own bell; one that rests is woken.

        Rings for all are left to the next look.
        """
        if debate:
            self.wake(debate)

    async def _advance(self, id: str) -> None:
        """Once, and again while commands wait: one may come between the last look of ``advance``
        and its end.
        """
        try:
            await self.house.advancer.advance(id)
        except Fenced:
            logger.info(
                "another process took the debate over", extra={"action": "fenced", "debate": id}
            )
            return
        # one debate's defect must not end the others; a look tries it again when it counts as
        # abandoned
        except Exception:
            logger.exception("advance failed", extra={"action": "advance_failed", "debate": id})
            return
        finally:
            del self.tasks[id]
        if await self.house.signals.load_waiting(id):
            self.wake(id)

    async def _look_around(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            try:
                await self._wake_all(stale=STALE)
            except Exception:  # the next look tries again
                logger.exception("looking for work failed", extra={"action": "look"})

    async def _wake_all(self, *, stale: timedelta) -> None:
        """What needs a writer and has none alive.

        ``stale`` of nothing looks at processes too: their last sign of life may be fresh.
        """
        for id in await self.house.debates.find_runnable(stale=stale):
            line = await self.house.debates.get(id)
            beaten = (
                line is not None
                and line.beat_at is not None
                and line.beat_at > self.house.clock.now() - STALE
            )
            if line is not None and not (beaten and played_elsewhere(line.owner, self.house.owner)):
                self.wake(id)


def abandoned(owner: str, mine: str) -> bool:
    """Whether surely nobody plays a debate: it has no owner, or one of this machine that lives no
    more.
    """
    return not owner or (
        owner.rpartition(":")[0] == mine.rpartition(":")[0]
        and owner != mine
        and not played_elsewhere(owner, mine)
    )


def played_elsewhere(owner: str, mine: str) -> bool:
    """Whether a living process of this machine, not ours, holds a debate (a shell that was there
    before the bot).
    """
    host, _, pid = owner.rpartition(":")
    if not owner or owner == mine or host != mine.rpartition(":")[0] or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not is_zombie(int(pid))


def is_zombie(pid: int) -> bool:
    """Whether a process has died and its parent has not noticed yet; unknown where the system does
    not tell.
    """
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0]
            == "Z"
        )
    except (OSError, IndexError):
        return False
