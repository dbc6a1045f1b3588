"""One process on one SQLite file: a task for each debate that has something to do, and none for a
waiting debate.

There are no leases: a lock file of the operating system keeps a second runner out, so at the start
every debate that is not over belongs to this process, except those that a living shell on this
machine is playing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from bot.debates.advance import Advancer
from bot.debates.owners import played_elsewhere
from bot.jobs import Jobs, Periodic
from bot.serve.runtime.base import Runtime
from core.debate.errors import StoreAway
from core.languages import ENGLISH, speaking
from storage.database.lock import RunnerLock
from storage.debates import STALE
from storage.outbox import Outbox

logger = logging.getLogger(__name__)
_LOOK = 2.0
"""Seconds between two searches for work without a wake-up: a date that has come, a shell that
died.
"""


class LocalRuntime(Runtime):
    """The runtime of one process. ``file`` is the database, ``allows`` is what debates here may do,
    for shells on the same database.
    """

    def __init__(
        self,
        advancer: Advancer,
        outbox: Outbox,
        file: Path | None,
        allows: Collection[str],
        jobs: Jobs,
    ) -> None:
        super().__init__(advancer, jobs)
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self._outbox = outbox
        self._missing = "unfinished debates are looked for"
        self._stale = timedelta(0)
        self._lock = RunnerLock(file, allows) if file is not None else None

    async def start(self) -> None:
        """Starts the runtime. Raises ``BadInput`` when another runner is there."""
        if self._lock is not None:
            self._lock.acquire()
        await self._outbox.recover()
        self._queue.subscribe(self.wake)
        self._jobs.add("look", Periodic(self._look_around, _LOOK))

    def missing(self) -> str:
        return self._missing

    def playing(self) -> int:
        return len(self.tasks)

    def wake(self, debate: str) -> None:
        """Gives a debate a task. A running one waits for its own event; news without a debate's id
        ("") are left to the next search.
        """
        if debate and not self._stopping and debate not in self.tasks:
            with speaking(ENGLISH):  # whoever woke it: what is stored is in English
                self.tasks[debate] = asyncio.create_task(
                    self._advance(debate), name=f"advance:{debate}"
                )

    async def drain(self, seconds: float) -> None:
        self._stopping = True
        self._advancer.leaving.set()
        if self.tasks:
            await asyncio.wait(self.tasks.values(), timeout=seconds)

    async def stop(self) -> None:
        self._stopping = True
        await self._jobs.stop()
        tasks = list(self.tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)
        if self._lock is not None:
            self._lock.release()

    async def _advance(self, id: str) -> None:
        """Advances a debate, unless another process plays it, and again while commands wait, since
        one may come between the last look of ``advance`` and its end. If the database is away, the
        next search finds it.
        """
        with suppress(StoreAway):
            try:
                whole = not await self._is_played_elsewhere(id) and await self.run(id)
            finally:
                del self.tasks[id]
            if whole and await self._queue.load_waiting(id):
                self.wake(id)

    async def _is_played_elsewhere(self, id: str) -> bool:
        """True if another living process of this machine plays a debate, which takes its commands:
        taking it over would repeat the calls under way.
        """
        line = await self._debates.get(id)
        if line is None or not played_elsewhere(line.owner, self._advancer.owner):
            return False
        return not await self._debates.find_runnable(id)  # its heartbeat may be old

    async def _look_around(self) -> None:
        """Wakes the debates that need a writer and have none alive. The first search takes all
        unfinished ones, since the last heartbeat of a dead process may be fresh, and leaves out
        those that another living process of this machine plays.
        """
        await self.release()
        ids = await self._debates.find_runnable(stale=self._stale)
        for number, id in enumerate(ids):
            if self._missing:
                self._missing = f"{number} of {len(ids)} unfinished debates are taken up"
            if not await self._is_played_elsewhere(id):
                self.wake(id)
        self._stale, self._missing = STALE, ""
