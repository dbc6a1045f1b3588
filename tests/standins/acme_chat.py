"""The chat that the page about plugins connects to: rooms over HTTP, with the faults that a chat
has.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer


@dataclass
class AcmeChatStandIn:
    """``sent`` are its messages in order; ``slow`` refuses the next one for some seconds, ``lost``
    takes it and breaks the connection.
    """

    sent: list[dict[str, Any]] = field(default_factory=list)
    whispers: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    gone: frozenset[str] = frozenset()
    slow: float = 0.0
    lost: bool = False
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    address: str = ""

    def write(self, person: str, place: str, text: str, thread: str = "") -> None:
        """Writes a message as a person does."""
        id = len(self.events) + 1
        event = {"id": id, "person": person, "place": place, "text": text, "thread": thread}
        self.events.append({**event, "message": f"p{id}"})
        self.heard.set()

    @property
    def in_rooms(self) -> str:
        """Returns all messages in its rooms."""
        return "\n".join(one["text"] for one in self.sent)

    @property
    def texts(self) -> str:
        """Returns the messages in its rooms and those to single people."""
        return "\n".join([self.in_rooms, *(one["text"] for one in self.whispers)])

    def thread(self, root: str) -> list[dict[str, Any]]:
        return [one for one in self.sent if root in (one["id"], one["thread"])]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        fields = await request.json()
        match request.path:
            case "/send":
                return self._send(request, fields)
            case "/edit":
                next(one for one in self.sent if one["id"] == fields["id"])["text"] = fields["text"]
                return web.json_response({})
            case "/find":
                there = [one for one in self.sent if one["place"] == fields["place"]]
                ids = [one["id"] for one in there if one["key"] == fields["key"]]
                return web.json_response({"ids": ids})
            case "/whisper":
                self.whispers.append(fields)
                return web.json_response({})
            case "/events":
                return await self._events(fields["after"])
            case _:
                raise web.HTTPNotFound

    def _send(self, request: web.Request, fields: dict[str, Any]) -> web.Response:
        if fields["place"] in self.gone:
            return web.json_response({"why": "This room is closed."}, status=410)
        if self.slow:
            after, self.slow = self.slow, 0.0
            return web.json_response({"after": after}, status=429)
        self.sent.append({"id": f"m{len(self.sent) + 1}", **fields})
        if self.lost and request.transport is not None:
            self.lost = False
            request.transport.abort()
        return web.json_response({"id": self.sent[-1]["id"]})

    async def _events(self, after: int) -> web.Response:
        """Returns the events after a number, as soon as there is one; ``-1`` asks whether it is
        there.
        """
        while after >= 0 and len(self.events) <= after:
            self.heard.clear()
            await self.heard.wait()
        return web.json_response({"events": self.events[after:] if after >= 0 else []})


@asynccontextmanager
async def acme_chat() -> AsyncIterator[AcmeChatStandIn]:
    stand_in = AcmeChatStandIn()
    app = web.Application()
    app.router.add_post("/{path:.*}", stand_in._answer)
    async with TestServer(app) as server:
        stand_in.address = str(server.make_url("")).rstrip("/")
        yield stand_in
