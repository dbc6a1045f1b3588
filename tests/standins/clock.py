"""A clock for models that are asked again: nobody waits."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta


class Hurried:
    """A clock on which time passes when somebody sleeps, and at once."""

    def __init__(self) -> None:
        self.time = datetime.now(UTC)

    def now(self) -> datetime:
        return self.time

    async def sleep(self, seconds: float) -> None:
        until = self.time + timedelta(seconds=seconds)
        await asyncio.sleep(0)
        self.time = max(self.time, until)
