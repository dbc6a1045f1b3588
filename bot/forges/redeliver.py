"""What GitHub could not deliver while we were away is asked for again: it repeats nothing by
itself.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from adapters.forges.api import Api
from adapters.forges.github.app import AppCredentials, app_headers
from adapters.forges.github.redelivery import ask_again, missed_since
from bot.forges.access.connect import Connections
from bot.keep import keep
from core.errors import DebateError
from core.ports import Clock
from storage.forges.events import ForgeEvents

logger = logging.getLogger(__name__)
EVERY = timedelta(minutes=10)
KEPT = timedelta(days=3)
"""For so long GitHub sends a delivery again."""
_SLACK = timedelta(minutes=5)
"""An attempt can be listed a little after it was made."""
_WATCH = "/deliveries"
"""The name under which it is noted how far a host was asked; no repository can have it."""


@dataclass(frozen=True, slots=True)
class Redeliveries:
    """``told`` says which hosts send webhooks here; the others are polled."""

    events: ForgeEvents
    connections: Connections
    clock: Clock
    told: Callable[[str], Awaitable[bool]]

    async def run(self, idle: float = 60.0) -> None:
        """Until cancelled."""
        await keep("redeliver", self.look, idle)

    async def look(self, every: timedelta = EVERY) -> int:
        """Asks each host with an App whose turn it is; how many deliveries are sent again."""
        count = 0
        for host, configured in self.connections.library.hosts.items():
            if configured.forge != "github" or not await self.told(host):
                continue
            app = await self.connections.app_of(host)
            if app is not None and await self.events.take_watch(host, _WATCH, every):
                count += await self._ask(host, app)
        return count

    async def _ask(self, host: str, app: AppCredentials) -> int:
        """From where the last look ended, or from now on where there was none."""
        now = self.clock.now()
        noted = (await self.events.watch(host, _WATCH)).tags.get("since", "")
        since = max(datetime.fromisoformat(noted), now - KEPT) if noted else now
        sent = 0
        try:
            async with self.connections.wire(host) as wire:
                api = Api(wire, app_headers(app), linked=True)
                missed = await missed_since(api, since) if noted else ()
                for one in missed:
                    sent += await ask_again(api, one)
        except DebateError as error:  # the next look begins where this one did
            facts = {"action": "redeliver", "host": host, "reason": str(error)}
            logger.warning("failed deliveries can't be asked for", extra=facts)
            return sent
        oldest = min([now - _SLACK, *(one.at for one in missed)])  # again, until it has arrived
        await self.events.keep_watch(host, _WATCH, {"since": oldest.isoformat()}, {})
        if sent:
            facts = {"action": "redeliver", "host": host, "count": f"{sent}"}
            logger.info("failed deliveries are sent again", extra=facts)
        return sent
