"""Readiness and figures are for the operator."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from bot.serve.http import HttpServer

FIGURES = ("/readyz", "/metrics")


@asynccontextmanager
async def server(**more: Any) -> AsyncIterator[tuple[HttpServer, str]]:
    """Serves figures, a database that answers, and what else is given."""

    async def figures() -> bytes:
        return b"debates 7\n"

    async def database() -> None:
        return

    made = HttpServer(figures, database, **more)
    address = await made.open("127.0.0.1", 0, dict)
    made.take_in()
    try:
        yield made, address
    finally:
        await made.close()


async def status(url: str, **headers: str) -> int:
    async with aiohttp.ClientSession() as web, web.get(url, headers=headers) as answer:
        return answer.status


NEAR_AND_FAR: tuple[dict[str, str], ...] = (
    {},  # from this machine, or through a plain `proxy_pass`, which looks alike
    {"Host": "127.0.0.1:8765"},
    {"X-Forwarded-For": "203.0.113.9"},
    {"Authorization": "Bearer "},
)


@pytest.mark.parametrize("path", FIGURES)
async def test_without_a_token_and_a_port_they_answer_nobody(path: str) -> None:
    async with server() as (_, address):
        for headers in NEAR_AND_FAR:
            assert await status(address + path, **headers) == 404


@pytest.mark.parametrize("path", FIGURES)
async def test_a_token_opens_them_wherever_it_comes_from(path: str) -> None:
    async with server(watch_token="s3cret-s3cret") as (_, address):
        for headers in (*NEAR_AND_FAR, {"Authorization": "Bearer wrong"}):
            assert await status(address + path, **headers) == 404
        for headers in NEAR_AND_FAR:
            sent = headers | {"Authorization": "Bearer s3cret-s3cret"}
            assert await status(address + path, **sent) == 200
        assert await status(address + path, Authorization="Bearer \udcff") == 404


@pytest.mark.parametrize("path", FIGURES)
async def test_with_a_port_of_their_own_they_are_nowhere_else(path: str) -> None:
    async with server(watch_port=0) as (made, address):
        assert await status(address + path) == 404
        assert await status(made.watch_address + path) == 200


async def test_a_token_counts_on_a_port_of_their_own_too() -> None:
    async with server(watch_port=0, watch_token="s3cret-s3cret") as (made, _):
        assert await status(made.watch_address + "/metrics") == 404
        there = {"Authorization": "Bearer s3cret-s3cret"}
        assert await status(made.watch_address + "/metrics", **there) == 200


async def test_that_the_process_lives_is_told_to_everybody_and_nothing_else() -> None:
    async with server(watch_port=0) as (made, address), aiohttp.ClientSession() as web:
        for base in (address, made.watch_address):
            async with web.get(f"{base}/healthz") as answer:
                assert (answer.status, await answer.text()) == (200, '{"alive": true}')
