"""Requests again the deliveries that GitHub could not make while the bot was away, since GitHub
repeats none by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from adapters.forges.api import ForgeApi
from adapters.forges.github.app import AppCredentials, app_headers
from adapters.forges.github.redelivery import ask_again, missed_since
from bot.forges.access.connect import ForgeConnections
from core.debate.errors import DebateError
from core.debate.ports import Clock
from storage.forges.watches import Watches

logger = logging.getLogger(__name__)
EVERY = timedelta(minutes=10)
KEPT = timedelta(days=3)
"""How long GitHub is able to repeat a delivery."""
_SLACK = timedelta(minutes=5)
"""How much later than it was made an attempt may appear in the list."""
_WATCH = "/deliveries"
"""The name under which a host's position is stored; no repository can have it."""


@dataclass(frozen=True, slots=True)
class Redeliveries:
    """Requests missed deliveries; ``has_webhook`` is true for a host that sends webhooks here;
    other hosts are polled.
    """

    watches: Watches
    connections: ForgeConnections
    clock: Clock
    has_webhook: Callable[[str], Awaitable[bool]]

    async def look(self, every: timedelta = EVERY) -> int:
        """Asks each host with an App that is due, and returns how many deliveries are repeated."""
        count = 0
        for host, configured in self.connections.library.hosts.items():
            if configured.forge != "github" or not await self.has_webhook(host):
                continue
            app = await self.connections.app_of(host)
            if app is not None and await self.watches.take(host, _WATCH, every):
                count += await self._ask(host, app)
        return count

    async def _ask(self, host: str, app: AppCredentials) -> int:
        """Asks one host from the end of the last look, or from now on if there was none."""
        now = self.clock.now()
        tags, _ = await self.watches.load(host, _WATCH)
        noted, since, sent = tags.get("since", ""), now, 0
        missed: Sequence[tuple[datetime, int]] = ()
        if noted:
            since = max(datetime.fromisoformat(noted), now - KEPT)
        try:
            async with self.connections.wire(host) as wire:
                api = ForgeApi(wire, app_headers(app), linked=True)
                if noted:
                    missed = await missed_since(api, since)
                for _, attempt in missed:
                    sent += await ask_again(api, attempt)
        except DebateError as error:  # the next look begins at the same point
            facts = {"action": "redeliver", "host": host, "reason": str(error)}
            logger.warning("failed deliveries can't be asked for", extra=facts)
            return sent
        oldest = min([now - _SLACK, *(at for at, _ in missed)])  # again, until it has arrived
        await self.watches.keep(host, _WATCH, {"since": oldest.isoformat()}, {})
        if sent:
            facts = {"action": "redeliver", "host": host, "count": f"{sent}"}
            logger.info("failed deliveries are sent again", extra=facts)
        return sent
