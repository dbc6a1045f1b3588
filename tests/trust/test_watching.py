"""Health and figures are for whoever runs the bot."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from bot.serve.http import HttpServer

PATHS = ("/healthz", "/readyz", "/metrics")


@asynccontextmanager
async def server(**more: Any) -> AsyncIterator[tuple[HttpServer, str]]:
    async def figures() -> bytes:
        return b"debates 7\n"

    async def database() -> None:
        return

    made = HttpServer(figures, database, **more)
    address = await made.open("127.0.0.1", 0)
    try:
        yield made, address
    finally:
        await made.close()


async def status(url: str, **headers: str) -> int:
    async with aiohttp.ClientSession() as web, web.get(url, headers=headers) as answer:
        return answer.status


@pytest.mark.parametrize("path", PATHS)
async def test_this_machine_is_answered_and_nobody_behind_a_proxy(path: str) -> None:
    async with server() as (_, address):
        assert await status(address + path) == 200
        for header in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
            assert await status(address + path, **{header: "203.0.113.9"}) == 404
        # a page in this machine's browser whose own name was made to lead here
        assert await status(address + path, Host="evil.example") == 404


@pytest.mark.parametrize("path", PATHS)
async def test_a_token_opens_them_to_others(path: str) -> None:
    async with server(watch_token="s3cret-s3cret") as (_, address):
        there = {"X-Forwarded-For": "203.0.113.9"}
        assert await status(address + path, **there) == 404
        assert await status(address + path, Authorization="Bearer wrong", **there) == 404
        assert await status(address + path, Authorization="Bearer s3cret-s3cret", **there) == 200


@pytest.mark.parametrize("path", PATHS)
async def test_with_a_port_of_their_own_they_are_nowhere_else(path: str) -> None:
    async with server(watch_port=0) as (made, address):
        assert await status(address + path) == 404
        assert await status(made.watch_address + path) == 200
