"""Somebody's program that takes webhooks, on a real socket."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

from tests.standins.serving import serving


@dataclass
class Taken:
    """One request as it came; ``at`` is when, in seconds of the epoch."""

    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.time)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def verified(self, secret: str) -> Any:
        """Returns the message. Raises ``WebhookVerificationError``."""
        return Webhook(secret).verify(self.body, self.headers)


@dataclass
class Receiver:
    """``answers`` are given one after another, the last one for ever; a ``pause`` in seconds goes
    before each. With a ``secret``, what is not signed by it is ``refused`` as it comes.
    """

    answers: Sequence[web.Response | int] = (204,)
    pause: float = 0.0
    address: str = ""
    secret: str = ""
    refused: int = 0
    taken: list[Taken] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def take(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        taken = Taken(headers, await request.read())
        if self.secret:
            try:
                taken.verified(self.secret)
            except WebhookVerificationError:
                self.refused += 1
                return web.Response(status=400)
        self.taken.append(taken)
        answer = self.answers[min(len(self.taken), len(self.answers)) - 1]
        async with self.news:
            self.news.notify_all()
        await asyncio.sleep(self.pause)
        if isinstance(answer, int):
            return web.Response(status=answer)
        return web.Response(status=answer.status, headers=answer.headers)

    async def has(self, count: int) -> list[Taken]:
        """Waits until so many requests came."""
        async with self.news:
            await self.news.wait_for(lambda: len(self.taken) >= count)
        return self.taken


@asynccontextmanager
async def receiving(*answers: web.Response | int, pause: float = 0.0) -> AsyncIterator[Receiver]:
    receiver = Receiver(answers or (204,), pause)
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", receiver.take)
    async with serving(app) as origin:
        receiver.address = f"{origin}/debates"
        yield receiver
