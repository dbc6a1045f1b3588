"""A page outlives its server, and is the same whichever replica serves it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.room import IN_BROWSER, MILLISECONDS
from tests.browser.test_debate import content_of
from tests.end_to_end.shell import DEBATE, environment
from tests.patience import PATIENCE
from tests.pg import postgres_server, postgres_url
from tests.standins.programs import free_port

__all__ = ["postgres_server", "postgres_url"]
pytestmark = IN_BROWSER


class Server:
    """``debate serve`` in a process of its own, which can be killed."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.port = free_port()
        self._url = url or str(folder / "debate.db")
        self._folder = folder
        self.hold = folder / "hold"
        self._process: asyncio.subprocess.Process | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def _env(self) -> dict[str, str]:
        return environment(
            DEBATE_PORT=str(self.port),
            DEBATE_SCRIPTED_HOLD=str(self.hold),
            DEBATE_DATABASE_URL=self._url,
        )

    async def link(self) -> str:
        """Returns the link of `debate open` at this server's address; any replica accepts it."""
        printed = await asyncio.create_subprocess_exec(
            *DEBATE, "open", cwd=self._folder, env=self._env, stdout=subprocess.PIPE
        )
        out, _ = await printed.communicate()
        assert printed.returncode == 0
        return self.address + urlsplit(out.decode().strip()).path

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *DEBATE, "serve", cwd=self._folder, env=self._env, stderr=subprocess.DEVNULL
        )
        async with asyncio.timeout(2 * PATIENCE), aiohttp.ClientSession() as web:
            while not await self._lives(web):  # noqa: ASYNC110 (another process has no event)
                await asyncio.sleep(0.1)

    async def _lives(self, web: aiohttp.ClientSession) -> bool:
        assert self._process is not None
        assert self._process.returncode is None
        try:
            async with web.get(f"{self.address}/healthz") as answer:
                return answer.status == 200
        except aiohttp.ClientConnectionError:
            return False

    async def kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    made = Server(tmp_path)
    yield made
    await made.kill()


async def test_a_page_goes_on_after_its_server_was_killed(
    chromium: Browser, server: Server
) -> None:
    server.hold.touch()
    await server.start()
    context = await chromium.new_context()
    context.set_default_timeout(MILLISECONDS)
    try:
        page = await context.new_page()
        await started(page, server)
        await page.get_by_label("Your objection; a seat must answer it").fill("Half a thought")
        await server.kill()
        await expect(page.locator("#link")).to_be_visible()
        await server.start()
        await expect(page.locator("#link")).to_be_hidden()
        typed = page.get_by_label("Your objection; a seat must answer it")
        await expect(typed).to_have_value("Half a thought")
        server.hold.unlink()
        await expect(page.locator("main[data-link=done]")).to_be_attached()
        followed = await content_of(page)
        await page.reload()
        assert followed == await content_of(page)
    finally:
        await context.close()


async def test_two_replicas_show_one_debate(
    chromium: Browser, postgres_url: str, tmp_path: Path
) -> None:
    servers = [Server(tmp_path, postgres_url) for _ in range(2)]
    context = await chromium.new_context()
    context.set_default_timeout(MILLISECONDS)
    try:
        servers[0].hold.touch()
        for server in servers:
            await server.start()
        pages = [await context.new_page() for _ in servers]
        await started(pages[0], servers[0])
        await pages[1].goto(await servers[1].link())
        await pages[1].goto(servers[1].address + urlsplit(pages[0].url).path)
        await asyncio.gather(*(expect(spoken(page)).not_to_be_empty() for page in pages))
        await pages[1].get_by_label("Your objection; a seat must answer it").fill("On what data?")
        await pages[1].get_by_role("button", name="Challenge", exact=True).click()
        await expect(pages[0].locator(".turn.person")).to_contain_text("On what data?")
        servers[0].hold.unlink()
        for page in pages:
            await expect(page.locator("main[data-link=done]")).to_be_attached()
        followed = [await content_of(page) for page in pages]
        assert followed[0] == followed[1]
    finally:
        await context.close()
        for server in servers:
            await server.kill()


async def started(page: Page, server: Server) -> None:
    """Starts a debate whose words are followed."""
    await page.goto(await server.link())
    await page.goto(f"{server.address}/new")
    await page.get_by_label("What is to be debated?").fill(
        "/debate triad Should we rewrite it? --vote-window 1s"
    )
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.locator(".turn").first).to_be_visible()


def spoken(page: Page) -> Locator:
    """Returns the words of turns under way."""
    return page.locator(".words").first
