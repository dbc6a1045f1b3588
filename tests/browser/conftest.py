"""A browser for all tests of this folder, and a bot with a room for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from adapters.models import Vendors
from bot.wire.base import MakeModels
from tests.bot.parts import ChatPlatform
from tests.bot.room.serving import NO_PLATFORM
from tests.browser.chromium import FLAGS, find
from tests.browser.room import MILLISECONDS, Fill, Open, opened_room


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def chromium() -> AsyncIterator[Browser]:
    path = find()
    if not path:
        pytest.skip("no Chromium: `make test-browser` says how to get one")
    expect.set_options(timeout=MILLISECONDS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        await browser.close()


OpenRoom = Callable[..., Awaitable[Open]]


@pytest_asyncio.fixture(loop_scope="session")
async def open_room(chromium: Browser, tmp_path: Path) -> AsyncIterator[OpenRoom]:
    """Opens a bot with its room; the words are settings of the environment."""
    async with AsyncExitStack() as stack:

        async def open_one(
            fill: Fill | None = None,
            platforms: Mapping[str, ChatPlatform] = NO_PLATFORM,
            make_models: MakeModels = Vendors,
            **env: str,
        ) -> Open:
            opened = opened_room(chromium, tmp_path, env, platforms, fill, make_models)
            return await stack.enter_async_context(opened)

        yield open_one
