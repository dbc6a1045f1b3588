"""The events of forges: received over HTTP, verified, reduced and stored, then answered with 202,
and handled later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from adapters.forges.events import (
    Forged,
    ForgeEvent,
    WrongSecret,
    body_key,
    too_old,
)
from adapters.forges.github.events import read_github
from adapters.forges.gitlab.events import read_gitlab
from adapters.forges.refusals import RateLimited
from bot.forges.checks import Checks
from bot.forges.desk import EventDesk
from bot.forges.follow import FollowUps
from bot.forges.judge import Judges
from bot.forges.runs import Runs
from bot.keep import IDLE, keep
from core.errors import BadInput, CouldNotFinish
from core.ports import Clock
from storage.forges.events import ForgeEvents, TakenEvent
from storage.leases import wait_before

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
TRIES = 10
LARGEST = 5_000_000
"""The most bytes of one webhook."""

Secrets = Callable[[], Awaitable[Mapping[str, str]]]
"""The webhook secrets by host; the one under "" counts for every host."""
Read = Callable[[Mapping[str, str], bytes, str], tuple[ForgeEvent, ...]]


@dataclass(frozen=True, slots=True)
class ForgeWebhooks:
    """Serves ``/github/events`` and ``/gitlab/events``. The secrets verify the sender; without them
    nothing is accepted.
    """

    events: ForgeEvents
    clock: Clock
    github_secrets: Secrets
    gitlab_secrets: Secrets

    def routes(self) -> list[Route]:
        from adapters.routes import (  # a command in a shell serves nothing
            Media,
            Route,
            RouteWork,
            Who,
        )

        bounds: dict[str, Any] = {"body": LARGEST, "takes": (Media.JSON,), "work": RouteWork.THREAD}
        bounds["stored"] = "what happened, reduced"
        return [
            Route("POST", "/github/events", Who.PLATFORM, self.github, **bounds),
            Route("POST", "/gitlab/events", Who.PLATFORM, self.gitlab, **bounds),
        ]

    async def github(self, request: web.Request) -> web.Response:
        return await self._take(request, "github", read_github, await self.github_secrets())

    async def gitlab(self, request: web.Request) -> web.Response:
        return await self._take(request, "gitlab", read_gitlab, await self.gitlab_secrets())

    async def _take(
        self, request: web.Request, forge: str, read: Read, secrets: Mapping[str, str]
    ) -> web.Response:
        if not secrets:
            return _reply(404, "no secret is configured for this")
        from adapters.routes.reading import body_of

        body = await body_of(request)
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            events = await asyncio.to_thread(_proved, read, headers, body, secrets)
        except Forged as error:
            logger.warning("a webhook was refused", extra={"action": "webhook", "why": str(error)})
            return _reply(401 if isinstance(error, WrongSecret) else 400, str(error))
        if not events:
            return _reply(200, "nothing to do")
        if too_old(events, self.clock.now(), _OLDEST):
            return _reply(200, "too late")
        key, fresh = body_key(forge, body), False
        for number, event in enumerate(events):
            fresh |= await self.events.add(f"{key}:{number}", msgspec.to_builtins(event))
        if fresh:
            return _reply(202, "taken")
        return _reply(200, "taken before")


@dataclass(frozen=True, slots=True)
class Inbox:
    """Handles stored events and the work that is due because of them, in every replica."""

    events: ForgeEvents
    desk: EventDesk
    runs: Runs
    follow: FollowUps
    judges: Judges
    checks: Checks
    clock: Clock
    owner: str

    async def run(self, idle: float = IDLE) -> None:
        """Handles events until it is cancelled."""
        await keep("inbox", self.work, idle, self.events.wake_event)

    async def work(self) -> None:
        """Does everything that is due now, once."""
        while taken := await self.events.claim(self.owner):
            for event in taken:
                if await self.events.renew(event):
                    await self._handle(event)
        await self.runs.start_due()
        await self.judges.judge_due()
        await self.checks.tell()
        await self.checks.answer_objections()
        await self.follow.ask_due()

    async def forget(self) -> None:
        """Deletes deliveries that no forge sends again."""
        await self.events.forget(self.clock.now() - timedelta(days=KEPT))

    async def _handle(self, taken: TakenEvent) -> None:
        event = msgspec.convert(taken.payload, ForgeEvent)
        facts = {"action": "forge_event", "happened": event.happened.value, "repo": event.repo}
        try:
            result = await self.desk.take(event)
        except BadInput as error:
            await self.events.dead(taken, str(error))
            logger.warning("an event came to nothing", extra=facts | {"reason": str(error)})
        except CouldNotFinish as error:
            await self._later(taken, error)
        except Exception:  # a defect costs this event a try, not the loop its life
            logger.exception("an event broke", extra=facts)
            await self._later(taken, CouldNotFinish("a defect"))
        else:
            await self.events.done(taken, result)
            logger.info("an event was worked off", extra=facts | {"said": result})

    async def _later(self, taken: TakenEvent, error: CouldNotFinish) -> None:
        wait = wait_before(taken.attempt, TRIES)
        if wait is None:
            await self.events.dead(taken, str(error))
            return
        if isinstance(error, RateLimited) and error.free_at is not None:
            wait = max(wait, (error.free_at - self.clock.now()).total_seconds())
        await self.events.retry(taken, wait, str(error))


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
