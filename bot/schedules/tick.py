"""Looks for schedules that are due, in every replica; the store gives each firing to one of
them.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.schedules.cron import Rule
from bot.schedules.fire import Firings
from core.application.schedules import Schedule
from storage.messages import MessageStore
from storage.schedules import Firing

logger = logging.getLogger(__name__)
TICK = 2.0
"""Seconds between two looks for schedules that are due."""
_REMEMBERED = timedelta(days=3)
"""The age after which no platform delivers an event again."""
FORGET_EVERY = 6 * 3600.0


def next_firing(schedule: Schedule, after: datetime) -> datetime | None:
    """Returns the first firing of a schedule later than ``after``; None if it never fires again."""
    return Rule(schedule.cron, schedule.tz).after(after)


@dataclass(frozen=True, slots=True)
class Ticker:
    """Fires schedules; ``owner`` names this process. It also deletes the records of platform events
    seen long ago.
    """

    firings: Firings
    messages: MessageStore
    owner: str
    running: set[asyncio.Task[None]] = field(default_factory=set)

    async def stop(self) -> None:
        """Ends the runs under way; another process takes them again later."""
        for task in self.running:
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)

    async def forget(self) -> None:
        """Deletes the records of old events of platforms."""
        await self.messages.forget_events(self.firings.clock.now() - _REMEMBERED)

    async def tick(self) -> int:
        """Takes the firings that are due, starts them, and returns how many there were."""
        firings = await self.firings.schedules.take_due(self.owner, next_firing)
        for firing in firings:
            task = asyncio.create_task(self._fire(firing), name=f"schedule:{firing.schedule.id}")
            self.running.add(task)
            task.add_done_callback(self.running.discard)
        return len(firings)

    async def _fire(self, firing: Firing) -> None:
        try:
            await self.firings.run(firing)
        # a defect costs this run, which is taken again later; the other schedules go on
        except Exception:
            logger.exception(
                "a schedule's run broke",
                extra={"action": "schedule_broke", "schedule": firing.schedule.id},
            )
