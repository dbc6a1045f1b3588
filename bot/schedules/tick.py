"""Looks every second for schedules that are due, in every replica; the store gives each firing to
one of them.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.keep import keep
from bot.schedules.cron import Rule
from bot.schedules.fire import Firings
from core.ports import Clock
from storage.messages import MessageStore
from storage.schedules import Firing, Schedule, Schedules

logger = logging.getLogger(__name__)
_TICK = 1.0
"""Seconds between two looks for schedules that are due."""
_REMEMBERED = timedelta(days=3)
"""The age after which no platform delivers an event again."""
_FORGET_EVERY = timedelta(hours=6)


def next_firing(schedule: Schedule, after: datetime) -> datetime | None:
    """Returns the first firing of a schedule later than ``after``; None if it never fires again."""
    return Rule(schedule.cron, schedule.tz).after(after)


@dataclass(frozen=True, slots=True)
class Ticker:
    """Fires schedules; ``owner`` names this process. It also deletes the records of platform events
    seen long ago.
    """

    schedules: Schedules
    firings: Firings
    messages: MessageStore
    clock: Clock
    owner: str
    running: set[asyncio.Task[None]] = field(default_factory=set)

    async def run(self) -> None:
        """Fires until it is cancelled. A run that was begun and not finished is taken again by
        whichever process is there later.
        """
        forget_at = self.clock.now() + _FORGET_EVERY

        async def look() -> None:
            nonlocal forget_at
            await self.tick()
            if self.clock.now() >= forget_at:
                forget_at = self.clock.now() + _FORGET_EVERY
                await self.messages.forget_events(self.clock.now() - _REMEMBERED)

        try:
            await keep("tick", look, _TICK)
        finally:
            for task in self.running:
                task.cancel()
            await asyncio.gather(*self.running, return_exceptions=True)

    async def tick(self) -> int:
        """Takes the firings that are due, starts them, and returns how many there were."""
        firings = await self.schedules.take_due(self.owner, next_firing)
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
