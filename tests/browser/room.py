"""A bot with its room on the loopback, and a browser that looks at it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page

from adapters.models import Vendors
from bot.room.invitations import make_link
from bot.serve.process import Bot
from bot.wire.base import MakeModels
from bot.wire.bot import open_bot
from bot.wire.parts import Parts
from core.debate.events import DebateRequest
from core.debate.state import Debate
from tests.bot.parts import ChatPlatform, connect_all
from tests.bot.room.serving import UNPACED
from tests.end_to_end.played import configured
from tests.origins import origin
from tests.patience import PATIENCE
from tests.project import EXAMPLES

IN_BROWSER = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(600),  # a dozen waits each; one that is cut off leaves the loop broken
]
"""The marks of every module of this folder: they share one browser, so one event loop."""
WIDE = (1280, 900)
PHONE = (390, 844)
DIFF = (EXAMPLES / "01-retry-payments.diff").read_text("utf-8")
ASKER = "shell:ann"
MILLISECONDS = PATIENCE * 1000
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
"""The path of axe-core in the package that carries it."""


Fill = Callable[[Parts], AbstractAsyncContextManager[object]]


@dataclass
class Open:
    """An open room. ``problems`` are errors that any page of this browser wrote, ``foreign`` its
    requests to other hosts.
    """

    parts: Parts
    bot: Bot
    browser: Browser
    contexts: AsyncExitStack
    problems: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    async def load(self, id: str) -> Debate:
        return await self.parts.service.load(id)

    @property
    def address(self) -> str:
        return self.bot.address

    async def link(self) -> str:
        """Returns the link that the shell prints."""
        database = self.parts.stores.database
        return await make_link(database, self.parts.settings, self.address, ASKER)

    async def page(
        self, path: str = "", *, size: tuple[int, int] = WIDE, dark: bool = False, **more: Any
    ) -> Page:
        """Opens a page in a browser of its own."""
        context = await self.context(size=size, dark=dark, **more)
        page = await context.new_page()
        if path:
            await page.goto(self.address + path)
        return page

    async def context(
        self, *, size: tuple[int, int] = WIDE, dark: bool = False, **more: Any
    ) -> BrowserContext:
        made = await self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            **more,
        )
        self.contexts.push_async_callback(made.close)
        made.set_default_timeout(MILLISECONDS)
        if not self.parts.settings.public_url:
            await made.request.get(await self.link())
        made.on("console", lambda m: self.problems.append(m.text) if m.type == "error" else None)
        made.on("weberror", lambda e: self.problems.append(str(e.error)))
        made.on("request", lambda r: self._note(r.url))
        return made

    def _note(self, url: str) -> None:
        if not url.startswith((f"{self.address}/", "data:", "blob:")):
            self.foreign.append(url)

    async def start(self, template: str = "code_review", **more: Any) -> str:
        """Requests a debate and returns its id."""
        values: dict[str, Any] = {"target": "", "text": DIFF, "vote_window": 0.0, "rounds": 3}
        request = DebateRequest(
            template, asker=more.pop("asker", ASKER), place=more.pop("place", ASKER),
            **(values | more),
        )  # fmt: skip
        return await self.parts.service.take(request, origin(f"test:{secrets.token_hex(8)}"))

    async def played(self, template: str = "code_review", **more: Any) -> Debate:
        """Plays a debate to its end."""
        id = await self.start(template, **more)
        async with asyncio.timeout(PATIENCE):
            while not (debate := await self.load(id)).final:  # noqa: ASYNC110 (a database has no event)
                await asyncio.sleep(0.02)
        return debate


@asynccontextmanager
async def opened_room(
    browser: Browser,
    folder: Path,
    env: Mapping[str, str],
    platforms: Mapping[str, ChatPlatform],
    fill: Fill | None,
    make_models: MakeModels = Vendors,
) -> AsyncIterator[Open]:
    """Opens a room; ``fill`` puts debates into the store before the bot starts."""
    opened = open_bot(
        configured(folder, env),
        connect=connect_all(platforms),
        timing=UNPACED,
        make_models=make_models,
    )
    async with (
        opened as made,
        AsyncExitStack() as contexts,
    ):
        parts, bot = made
        if fill is not None:
            await contexts.enter_async_context(fill(parts))
        await bot.start("127.0.0.1", int(env.get("DEBATE_PORT", "0")))
        try:
            yield Open(parts, bot, browser, contexts)
        finally:
            await contexts.aclose()
            await bot.stop()


async def accessible(page: Page) -> Sequence[str]:
    """Returns axe-core's complaints about a page, one line each."""
    await page.evaluate(AXE)
    report = await page.evaluate("axe.run()")
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in report["violations"]
        for node in one["nodes"][:3]
    ]


async def fits(page: Page) -> bool:
    """Tells whether nothing makes the page wider than its window."""
    return bool(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
