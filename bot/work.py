"""The worker for the rows of ``storage.work``, with one rule for tries that fail.

Each kind of work has a handler, which does the work and records that it is done. A failed try is
repeated after a wait that doubles; see ``wait_after``. No handler waits for another one: each has a
share of the rows that a process holds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from adapters.forges.refusals import NotAllowed, OutcomeUnknown, RateLimited
from bot.keep import IDLE, keep
from core.application.presence import DeliveryError
from core.debate.errors import BadInput, CouldNotFinish, DebateError
from core.debate.ports import Clock
from storage.work import WorkQueue, WorkRow

logger = logging.getLogger(__name__)
TRIES = 12
"""Attempts before work is given up, with its reason stored."""
_REFUSALS = 2
"""The most tries of work that a forge refuses by name."""
_AT_ONCE = 4
"""The most rows of one handler that a process holds."""
_LONGEST_WAIT = 900.0
"""The most seconds between two tries, unless the other side asks for more."""
_LIMITED = 60.0
"""Seconds of the first wait for a limit whose end the forge does not give."""
_SETTLING = 2.0
"""Seconds until a post that may have arrived can be expected in the forge's lists."""
_DEFECT = 30.0
"""Seconds until the next try after a defect."""
_LAST_WAIT = 4.0
"""Seconds that work in progress gets when the worker stops."""


class GivenUp(Exception):
    """The work must not be done any more; the message is the reason."""


class Handler(Protocol):
    """Does the work of some kinds. Doing it twice must do no harm: after a crash or an unknown
    outcome the row is ``unconfirmed``, and the handler looks first.
    """

    @property
    def kinds(self) -> Collection[str]:
        """The kinds that can be done now."""
        ...

    async def do(self, row: WorkRow) -> None:
        """Does the work and records it as done. Raises ``GivenUp`` or ``BadInput`` if it can never
        be done, another error if a later try may succeed.
        """
        ...

    async def give_up(self, row: WorkRow, error: Exception, reason: str) -> None:
        """Informs people that the work is given up."""
        ...


@dataclass(frozen=True, slots=True)
class Worker:
    """Does the work of one database in one of its processes, which is the ``owner``."""

    queue: WorkQueue
    handlers: Sequence[Handler]
    clock: Clock
    owner: str
    _held: dict[asyncio.Task[None], WorkRow] = field(default_factory=dict)

    async def run(self, idle: float = IDLE) -> None:
        """Works until it is cancelled; work in progress then has a few seconds to finish."""
        try:
            await keep("work", self._begin, idle, self.queue.wake_event)
        finally:
            if self._held:
                _, late = await asyncio.wait(self._held, timeout=_LAST_WAIT)
                for task in late:
                    task.cancel()

    async def do_due(self, *kinds: str) -> int:
        """Does the work of these kinds, or of all, that is due now, and returns the number of
        tries. It is for callers that run no loop.
        """
        tries = []
        for handler in self.handlers:
            wanted = [kind for kind in handler.kinds if kind in kinds or not kinds]
            rows = await self.queue.claim(self.owner, wanted, _AT_ONCE)
            tries += [self._do(handler, row) for row in rows]
        await asyncio.gather(*tries)
        return len(tries)

    async def _begin(self) -> None:
        await self.queue.keep([*self._held.values()])
        for handler in self.handlers:
            busy = [row.work.key for row in self._held.values() if row.work.kind in handler.kinds]
            free = _AT_ONCE - len(busy)
            for row in await self.queue.claim(self.owner, handler.kinds, free, busy):
                task = asyncio.create_task(self._do(handler, row), name=f"work:{row.work.key}")
                self._held[task] = row
                task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        del self._held[task]
        self.queue.wake_event.set()

    async def _do(self, handler: Handler, row: WorkRow) -> None:
        try:
            await self._try(handler, row)
        except Exception:  # the claim expires, and the work is tried again
            logger.exception("the end of work can't be stored", extra=_facts(row))

    async def _try(self, handler: Handler, row: WorkRow) -> None:
        try:
            await handler.do(row)
        except Exception as error:  # a defect costs this work a try, not the worker its life
            reason = str(error)
            if not isinstance(error, (DebateError, DeliveryError, GivenUp)):
                logger.exception("work broke", extra=_facts(row))
                reason = f"a defect: {type(error).__name__}"
            wait = wait_after(error, row.attempt, self.clock.now())
            if wait is None:
                await self._give_up(handler, row, error, reason)
                return
            refused = isinstance(error, (RateLimited, NotAllowed, DeliveryError))
            unconfirmed = row.unconfirmed or not refused
            await self.queue.retry(row, wait, reason, unconfirmed=unconfirmed)

    async def _give_up(self, handler: Handler, row: WorkRow, error: Exception, reason: str) -> None:
        if row.attempt >= TRIES:
            reason = f"given up after {row.attempt} tries: {reason}"
        await handler.give_up(row, error, reason)
        await self.queue.dead(row, reason)
        logger.warning("work is given up", extra={**_facts(row), "reason": reason})


def wait_after(error: Exception, attempt: int, now: datetime) -> float | None:
    """Returns the seconds until the try after a failed one, longer each time; None if there is no
    other try. A rate limit ends, so waiting for that is never given up.
    """
    wait, limit = min(_LONGEST_WAIT, 2.0 ** min(attempt, 10)), TRIES
    match error:
        case GivenUp() | BadInput():
            return None
        case RateLimited(free_at=datetime() as free_at):
            return max(1.0, (free_at - now).total_seconds())
        case RateLimited():
            return min(_LONGEST_WAIT, _LIMITED / 2 * wait)
        case NotAllowed():
            limit = _REFUSALS
        case OutcomeUnknown():
            wait = max(_SETTLING, wait)
        case DeliveryError(after=after):
            wait = max(after, wait)
        case CouldNotFinish():
            pass
        case _:
            wait = max(_DEFECT, wait)
    return wait if attempt < limit else None


def _facts(row: WorkRow) -> dict[str, str]:
    work = row.work
    return {"action": "work", "kind": work.kind, "key": work.key, "debate": work.debate}
