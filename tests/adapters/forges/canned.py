"""A forge that gives canned answers by path, and a client for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from adapters.forges.api import ForgeApi, github_headers
from adapters.forges.wire import WireLimits, open_wire
from tests.standins.serving import serving

NOW = datetime(2026, 3, 9, tzinfo=UTC)


@dataclass
class Canned:
    """Answers by path: a document, or (status, document, headers). Queries are kept."""

    answers: dict[str, Any]
    base: str = ""
    requests: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        self.requests.append((request.method, request.path_qs, dict(request.headers)))
        given = self.answers.get(request.path, (404, {"message": "Not Found"}, {}))
        status, document, headers = given if isinstance(given, tuple) else (200, given, {})
        if status == 304:
            return web.Response(status=status, headers=headers)
        return web.json_response(document, status=status, headers=headers)


@asynccontextmanager
async def canned(answers: dict[str, Any]) -> AsyncIterator[Canned]:
    forge = Canned(answers)
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", forge.answer)
    async with serving(app) as forge.base:
        yield forge


@asynccontextmanager
async def client(forge: Canned) -> AsyncIterator[ForgeApi]:
    async with open_wire(None, forge.base, "GitHub", WireLimits(), NOW) as wire:
        yield ForgeApi(wire, github_headers("token"), linked=True)
