"""The events of forges: received over HTTP, verified, reduced and stored, then answered with 202,
and handled later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from adapters.forges.events import Forged, ForgeEvent, WrongSecret, body_key, too_old
from adapters.forges.github.events import read_github
from adapters.forges.gitlab.events import read_gitlab
from bot.forges.checks import answer_objections, tell_checks
from bot.forges.context import ForgeContext
from bot.forges.desk import EventDesk
from bot.forges.merged import MergedChanges
from bot.forges.runs import Runs
from bot.keep import IDLE, keep
from core.debate.ports import Clock
from storage.work import EVENT, Work, WorkQueue, WorkRow

if TYPE_CHECKING:
    from aiohttp import web

    from adapters.routes import Route

logger = logging.getLogger(__name__)
KEPT = 10.0
"""Days for which deliveries are remembered."""
_OLDEST = 7.0
"""Days after which a delivery is too late: more than forges' retries need, and fewer than
deliveries are remembered, so that an old one can't be replayed.
"""
LARGEST = 5_000_000
"""The most bytes of one webhook."""

Secrets = Callable[[], Awaitable[Mapping[str, str]]]
"""The webhook secrets by host; the one under "" counts for every host."""
Read = Callable[[Mapping[str, str], bytes, str], tuple[ForgeEvent, ...]]
_READ: Mapping[str, Read] = {"github": read_github, "gitlab": read_gitlab}


@dataclass(frozen=True, slots=True)
class ForgeWebhooks:
    """Serves ``/github/events`` and ``/gitlab/events``. The secrets verify the sender; without them
    nothing is accepted.
    """

    work: WorkQueue
    clock: Clock
    github_secrets: Secrets
    gitlab_secrets: Secrets

    def routes(self) -> list[Route]:
        from adapters.routes import Media, Route, Who
        from core.application.commands.actions import RouteWork

        bounds: dict[str, Any] = {"body": LARGEST, "takes": (Media.JSON,), "work": RouteWork.THREAD}
        bounds["stored"] = "what happened, reduced"
        return [
            Route("POST", f"/{forge}/events", Who.PLATFORM, partial(self._take, forge), **bounds)
            for forge in _READ
        ]

    async def _take(self, forge: str, request: web.Request) -> web.Response:
        if forge == "github":
            secrets = await self.github_secrets()
        else:
            secrets = await self.gitlab_secrets()
        if not secrets:
            return _reply(404, "no secret is configured for this")
        from adapters.routes.reading import body_of

        body = await body_of(request)
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            events = await asyncio.to_thread(_proved, _READ[forge], headers, body, secrets)
        except Forged as error:
            logger.warning("a webhook was refused", extra={"action": "webhook", "why": str(error)})
            status = 400
            if isinstance(error, WrongSecret):
                status = 401
            return _reply(status, str(error))
        if not events:
            return _reply(200, "nothing to do")
        if too_old(events, self.clock.now(), _OLDEST):
            return _reply(200, "too late")
        key = body_key(forge, body)
        work = [event_work(f"{key}:{number}", event) for number, event in enumerate(events)]
        if await self.work.add(*work, again=()):
            return _reply(202, "taken")
        return _reply(200, "taken before")


@dataclass(frozen=True, slots=True)
class Inbox:
    """Handles stored events, and does what is due because of them, in every replica. ``wake_event``
    is set when an event has been handled.
    """

    context: ForgeContext
    desk: EventDesk
    runs: Runs
    merged: MergedChanges
    wake_event: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def kinds(self) -> Collection[str]:
        return (EVENT,)

    async def run(self, idle: float = IDLE) -> None:
        """Does what is due because of events, until it is cancelled."""
        await keep("inbox", self.do_due, idle, self.wake_event)

    async def do_due(self) -> None:
        """Does the work on followed changes that is due now, once."""
        await self.runs.start_due()
        await self.merged.judge_due()
        await tell_checks(self.context)
        await answer_objections(self.context)
        await self.merged.ask_due()

    async def do(self, row: WorkRow) -> None:
        """Handles an event."""
        event = msgspec.convert(row.work.payload, ForgeEvent)
        result = await self.desk.take(event)
        await self.context.work.done(row, reason=result)
        self.wake_event.set()
        facts = {"action": "forge_event", "happened": event.happened.value, "repo": event.repo}
        logger.info("an event was handled", extra=facts | {"said": result})

    async def give_up(self, row: WorkRow, error: Exception, reason: str) -> None:
        """Does nothing: nobody waits for an event."""

    async def forget(self) -> None:
        """Deletes deliveries that no forge sends again."""
        await self.context.work.forget(EVENT, self.context.clock.now() - timedelta(days=KEPT))


def event_work(key: str, event: ForgeEvent) -> Work:
    return Work(key, EVENT, msgspec.to_builtins(event))


def _proved(
    read: Read, headers: Mapping[str, str], body: bytes, secrets: Mapping[str, str]
) -> tuple[ForgeEvent, ...]:
    """Returns the events that one of the secrets verifies. Raises ``Forged`` if none does, or only
    that of a host that they are not about.
    """
    wrong = WrongSecret("no secret is configured")
    for host, secret in secrets.items():
        try:
            events = read(headers, body, secret)
        except WrongSecret as error:
            wrong = error
            continue
        if host and any(event.host != host for event in events):
            raise Forged(f"{host} tells of another host")
        return events
    raise wrong


def _reply(status: int, text: str) -> web.Response:
    from aiohttp import web  # a command in a shell serves nothing

    return web.json_response({"said": text}, status=status)
