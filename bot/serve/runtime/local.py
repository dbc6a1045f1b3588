"""One process on one SQLite file: a task for each debate that has something to do, and none for one
that waits.

There are no leases: a lock file of the operating system keeps a second runner out, so at the start
every debate that is not over belongs to this process, except those that a living shell on this
machine is playing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path

from bot.debates.advance import Advancer
from bot.debates.owners import played_elsewhere
from bot.jobs import Jobs, Periodic
from bot.serve.runtime.run import Runs
from core.application.listing import DebateLine
from core.languages import ENGLISH, speaking
from storage.database.lock import RunnerLock
from storage.debates import STALE
from storage.outbox import Outbox

logger = logging.getLogger(__name__)
_LOOK = 2.0
"""Seconds between two searches for work without a wake-up: a date that has come, a shell that
died.
"""


class LocalRuntime:
    """Implements ``bot.serve.runtime.Runtime``. ``file`` is the database, ``allows`` is what
    debates here may do, for shells on the same database.
    """

    def __init__(
        self,
        advancer: Advancer,
        outbox: Outbox,
        file: Path | None,
        allows: Collection[str] = (),
        jobs: Jobs | None = None,
    ) -> None:
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self._advancer = advancer
        self._runs = Runs(advancer)
        self._debates = advancer.debates
        self._queue = advancer.queue
        self._outbox = outbox
        self._stopping = False
        self._missing = "unfinished debates are looked for"
        self._stale = timedelta(0)
        self._lock = RunnerLock(file, allows) if file is not None else None
        self._jobs = jobs or Jobs()

    async def start(self) -> None:
        """Starts the runtime. Raises ``BadInput`` when another runner is there."""
        if self._lock is not None:
            self._lock.acquire()
        await self._outbox.recover()
        self._queue.subscribe(self._wake_news)
        self._jobs.add("look", Periodic(self._look_around, _LOOK))

    def missing(self) -> str:
        return self._missing

    def playing(self) -> int:
        return len(self.tasks)

    def wake(self, debate: str) -> None:
        if not self._stopping and debate not in self.tasks:
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

    def _wake_news(self, debate: str) -> None:
        """Wakes a debate that has news. A running debate waits for its own event; news without a
        debate's id are left to the next search.
        """
        if debate:
            self.wake(debate)

    async def _advance(self, id: str) -> None:
        """Advances a debate, and again while commands wait, since one may come between the last
        look of ``advance`` and its end.
        """
        try:
            whole = await self._runs.advance(id)
        finally:
            del self.tasks[id]
        if whole and await self._queue.load_waiting(id):
            self.wake(id)

    async def _look_around(self) -> None:
        """Searches for work; the first search takes all unfinished debates, since the processes
        that played them may have been alive a moment ago.
        """
        await self._runs.release()
        await self._wake_all(stale=self._stale)
        self._stale, self._missing = STALE, ""

    async def _wake_all(self, *, stale: timedelta) -> None:
        """Wakes the debates that need a writer and have none alive. A ``stale`` of zero also looks
        at processes, because the last heartbeat of a dead one may be fresh.
        """
        ids = await self._debates.find_runnable(stale=stale)
        for number, id in enumerate(ids):
            if self._missing:
                self._missing = f"{number} of {len(ids)} unfinished debates are taken up"
            line = await self._debates.get(id)
            if line is None or await self._plays_elsewhere(line):
                continue
            self.wake(id)

    async def _plays_elsewhere(self, line: DebateLine) -> bool:
        """True if another living process of this machine plays the debate, which a fresh heartbeat
        shows too.
        """
        if not played_elsewhere(line.owner, self._advancer.owner):
            return False
        return not await self._debates.find_runnable(line.id)
