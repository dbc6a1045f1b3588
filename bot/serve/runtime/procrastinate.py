"""Many replicas on one PostgreSQL: procrastinate brings ``advance`` to a replica with room, and the
store's own fence keeps it right.

procrastinate only delivers. It has no fencing: a replica that froze and wakes marks the survivor's
job as done, and if the survivor dies then, no job would lead back to the debate. So every write
carries the debate's epoch (``storage.events``), and every replica sweeps: jobs whose worker is
silent are given out again, and debates that need a writer and have none alive get a new job. Both
are needed.

A job is one call of ``advance``: it ends when the debate waits or is paused. Its lock and its
queueing lock are the debate's id.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bot.debates.advance import Advancer
from bot.jobs import Jobs, Periodic
from bot.serve.runtime.base import Runtime
from bot.serve.runtime.tables import make_queue_tables
from storage.database.listening import end
from storage.debates import STALE

if TYPE_CHECKING:
    from procrastinate import App
    from procrastinate.jobs import Job
    from procrastinate.worker import Worker
    from psycopg import AsyncConnection
    from psycopg_pool import AsyncConnectionPool

logger = logging.getLogger(__name__)
QUEUE, _TASK = "debates", "advance"
_AT_ONCE = 200
"""The most debates that one replica advances at the same time; they mostly wait for models."""
_RECONNECT = 1.0


@dataclass(frozen=True, slots=True)
class Rhythm:
    """The intervals of a replica, in seconds.

    ``sweep`` is between two sweeps for jobs whose worker is silent, ``search`` between two searches
    for debates without a writer, ``look`` between a worker's looks for jobs, ``heartbeat`` between
    its heartbeats; after ``stalled`` a worker and after ``stale`` a writer counts as dead. A job
    that is given out again wakes nobody, so the next look finds it. A worker that is taken for dead
    too early only loses the calls under way.
    """

    sweep: float = 2.0
    search: float = 10.0
    look: float = 1.0
    heartbeat: float = 2.5
    stalled: float = 10.0
    stale: float = STALE.total_seconds()


class ReplicaRuntime(Runtime):
    """The runtime of one replica.

    ``address`` is the database, as libpq reads it; a replica that does not ``play`` gives jobs to
    those that do, and one that does not ``migrate`` only starts if the queue's tables exist. The
    heartbeats of its writers go over a connection that no commit holds up.
    """

    def __init__(
        self,
        advancer: Advancer,
        address: str,
        rhythm: Rhythm,
        *,
        plays: bool,
        migrates: bool,
        jobs: Jobs,
    ) -> None:
        super().__init__(advancer, jobs)
        self.running: set[str] = set()
        self._address = address
        self._rhythm = rhythm
        self._plays = plays
        self._migrates = migrates
        self._woken: dict[str, None] = {}
        self._waking: asyncio.Task[None] | None = None
        self._working: asyncio.Task[None] | None = None
        self._draining = False
        self._idle = asyncio.Event()
        self._app: App | None = None
        self._worker: Worker | None = None

    async def start(self) -> None:
        """Starts the runtime. Raises ``CouldNotFinish`` when the database does not answer,
        ``BadInput`` if the queue's tables are missing.
        """
        from procrastinate import App, PsycopgConnector

        await asyncio.to_thread(make_queue_tables, self._address, makes=self._migrates)
        connector = PsycopgConnector(
            conninfo=self._address, min_size=1, max_size=6, pool_factory=_pool
        )
        self._app = App(connector=connector)
        self._app.task(name=_TASK, queue=QUEUE)(self._advance)
        await self._app.open_async()
        self._queue.subscribe(self.wake)
        rhythm = self._rhythm
        self._jobs.add("sweep", Periodic(self.sweep, rhythm.sweep))
        self._jobs.add("search", Periodic(self.search, rhythm.search))
        if self._plays:
            self._working = asyncio.create_task(self._work(), name="runtime-worker")

    def missing(self) -> str:
        """Returns "", since another replica may be quicker to resume unfinished debates."""
        return ""

    def playing(self) -> int:
        return len(self.running)

    def wake(self, debate: str) -> None:
        """Gives a debate a job; news without a debate's id ("") are left to the next sweep."""
        if debate and not self._stopping:
            self._woken[debate] = None
            if self._waking is None:
                self._waking = asyncio.create_task(self._wake_all(), name="runtime-wake")

    async def drain(self, seconds: float) -> None:
        """Drains the worker and writes its heartbeats meanwhile, which it does not do itself while
        it waits for its jobs; without them the other replicas would take the debates over in
        mid-sentence.
        """
        self._draining = True
        self._advancer.leaving.set()
        worker, app = self._worker, self._app
        if worker is None or app is None:
            return
        worker.shutdown_graceful_timeout = seconds
        worker.stop()  # type: ignore[no-untyped-call]  # it carries no type
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.running:
                    if worker.worker_id is not None:
                        await app.job_manager.update_heartbeat(worker.worker_id)
                    with suppress(TimeoutError):
                        async with asyncio.timeout(self._rhythm.heartbeat):
                            await self._idle.wait()

    async def stop(self) -> None:
        """Cancels the running debates, which releases them, and leaves a job for each, so that
        another replica continues at once.
        """
        self._stopping = True
        left = set(self.running)
        await self._jobs.stop()
        await end(*filter(None, (self._waking,)))
        if self._working is not None:
            self._working.cancel()
            while not (await asyncio.wait([self._working], timeout=_RECONNECT))[0]:
                if self._worker is not None:  # it was just starting, and missed the cancellation
                    self._worker.stop()  # type: ignore[no-untyped-call]  # it carries no type
        if self._app is not None:
            for debate in left:
                await self._defer(debate)
            await self._app.close_async()

    async def _advance(self, debate: str) -> None:
        """Runs one debate as procrastinate's job; it does nothing if the debate runs already."""
        if debate in self.running:
            return
        self.running.add(debate)
        try:
            whole = await self.run(debate)
        finally:
            self.running.discard(debate)
            if self._draining and not self.running:
                self._idle.set()
        # a command may come between the last look of ``advance`` and its end
        if whole and (self._draining or await self._queue.load_waiting(debate)):
            await self._defer(*await self._find_runnable(debate))

    async def _wake_all(self) -> None:
        """Gives jobs to the woken debates without a living writer, since a running one waits for
        its own event. All debates that were woken during a query are one further query.
        """
        while self._woken:
            woken, self._woken = tuple(self._woken), {}
            try:
                await self._defer(*await self._find_runnable(*woken))
            except Exception:  # the next sweep finds them
                logger.exception("debates can't be woken", extra={"action": "wake"})
        self._waking = None

    async def _find_runnable(self, *among: str) -> list[str]:
        stale = timedelta(seconds=self._rhythm.stale)
        return await self._debates.find_runnable(*among, stale=stale)

    async def _defer(self, *debates: str) -> None:
        """Stores a job for each debate that has none waiting. If the whole batch is refused
        because one has, each is tried by itself. Several must be in the order of
        ``find_runnable``, so that two replicas never wait for each other's rows.
        """
        from procrastinate.exceptions import AlreadyEnqueued

        assert self._app is not None  # noqa: S101 (deferring begins after the start)
        if not debates:
            return
        app = self._app
        jobs = [
            app.configure_task(_TASK, queue=QUEUE, lock=id, queueing_lock=id).make_new_job(
                debate=id
            )
            for id in debates
        ]
        try:
            await app.job_manager.batch_defer_jobs_async(jobs)
        except AlreadyEnqueued:
            if len(debates) > 1:
                for debate in debates:
                    await self._defer(debate)

    async def _work(self) -> None:
        """Runs the worker, and starts it again whenever it breaks, since an absent database comes
        back.
        """
        from procrastinate.worker import Worker

        assert self._app is not None  # noqa: S101
        while not (self._draining or self._stopping):
            try:
                self._worker = Worker(
                    self._app,
                    queues=[QUEUE],
                    name=self._advancer.owner,
                    concurrency=_AT_ONCE,
                    fetch_job_polling_interval=self._rhythm.look,
                    install_signal_handlers=False,
                    delete_jobs="always",
                    shutdown_graceful_timeout=0.0,
                    update_heartbeat_interval=self._rhythm.heartbeat,
                    # pruning frees the jobs of the dead, which is the sweep's work
                    stalled_worker_timeout=3600.0,
                )
                await self._worker.run()  # type: ignore[no-untyped-call]  # it carries no type
            except Exception:  # logged and begun again
                logger.exception("the worker broke off", extra={"action": "worker"})
            await asyncio.sleep(_RECONNECT)

    async def sweep(self) -> None:
        """Gives out again the jobs whose worker is dead, and the debates that this replica could
        not release.
        """
        assert self._app is not None  # noqa: S101
        if released := await self.release():
            await self._defer(*await self._find_runnable(*released))
        for job in await self._app.job_manager.get_stalled_jobs(
            queue=QUEUE, seconds_since_heartbeat=self._rhythm.stalled
        ):
            await self._give_out_again(job)

    async def search(self) -> None:
        """Gives a job to each debate that needs a writer and has none alive."""
        runnable = await self._find_runnable()
        await self._defer(*(debate for debate in runnable if debate not in self.running))

    async def _give_out_again(self, job: Job) -> None:
        """Gives out a silent worker's job again; if a new job waits for the same debate already,
        the old one is only ended.
        """
        from procrastinate.exceptions import ConnectorException
        from procrastinate.jobs import Status

        assert self._app is not None  # noqa: S101
        manager = self._app.job_manager
        try:
            await manager.retry_job(job, retry_at=datetime.now(UTC))
            return
        except ConnectorException:
            logger.info("a stalled job is ended", extra={"action": "stalled", "job": job.id})
        with suppress(ConnectorException):  # another replica's sweep was quicker
            await manager.finish_job(job, Status.FAILED, delete_job=True)


def _pool(**given: Any) -> AsyncConnectionPool:
    """Returns connections whose every statement is a transaction, as all of procrastinate's are
    meant: each saves two round trips.
    """
    from psycopg_pool import AsyncConnectionPool

    async def made(connection: AsyncConnection) -> None:
        await connection.set_autocommit(True)

    return AsyncConnectionPool(**given, configure=made)
