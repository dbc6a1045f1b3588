"""``python -m tests.browser.pictures FOLDER``: six pages of the room, light and dark, one
debate as a thread in Slack and in Discord, a verdict with its finding and the moving
terminal, for the documentation. They show the debates of ``stage`` and one recorded review; the
threads are drawn from the posts that would be sent.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from playwright.async_api import Browser, ViewportSize, async_playwright

from core.debate.events import Event
from core.debate.state import replay
from tests.adapters.posts.threads import shown_review
from tests.adapters.posts.told import posted, standing
from tests.adapters.terminal.animated import PICTURE, drawn, frames
from tests.browser.accepted import accepted_page
from tests.browser.chromium import FLAGS, find
from tests.browser.room import Open, opened_room
from tests.browser.stage import begin_speaking, finished_review, stage
from tests.browser.threads import discord_page, slack_page, summary_page

KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="
PAGES = {
    "debates": "/",
    "start": "/new?target=https://github.com/acme/shop/pull/412",
    "live": "/d/rnng5t8w",
    "verdict": "/d/revw4k7q",
    "fork": "/d/revw4k7q/forks",
    "leaderboard": "/leaderboard",
}
WINDOW = {"width": 1280, "height": 960}
THREAD = (760, 1350)
SUMMARY = ViewportSize(width=1180, height=420)
QUALITY = 78
BEGUN = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


async def take(browser: Browser, room: Open, folder: Path, *, dark: bool) -> None:
    """Takes all pages in one colour scheme."""
    context = await browser.new_context(
        viewport={"width": WINDOW["width"], "height": WINDOW["height"]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    await context.request.get(await room.link())
    page = await context.new_page()
    for name, path in PAGES.items():
        await page.goto(room.address + path, wait_until="load")
        if name == "live":
            await page.locator(".words:not(:empty)").first.wait_for()
        file = folder / f"{name}-{'dark' if dark else 'light'}.jpeg"
        await page.screenshot(path=file, type="jpeg", quality=QUALITY)
        print(file)
    await context.close()


async def open_live(browser: Browser, room: Open) -> None:
    """Opens the page of the running debate, so that its seats' words are streamed."""
    context = await browser.new_context()
    await context.request.get(await room.link())
    await context.request.get(room.address + PAGES["live"])
    await begin_speaking(room.parts, "rnng5t8w")
    await context.close()


async def take_threads(browser: Browser, events: Sequence[Event], folder: Path) -> None:
    """Takes one debate as a whole thread on both chats."""
    thread, votes = standing(posted(events)), replay(events).votes
    pages = {
        "slack-blocks": await accepted_page(),
        "slack-thread": slack_page(thread, votes),
        "discord-thread": discord_page(thread, votes),
    }
    for name, html in pages.items():
        context = await browser.new_context(viewport={"width": THREAD[0], "height": THREAD[1]})
        page = await context.new_page()
        await page.set_content(html)
        file = folder / f"{name}.jpeg"
        await page.screenshot(path=file, type="jpeg", quality=QUALITY, full_page=True)
        print(file)
        await context.close()


async def take_summary(browser: Browser, folder: Path) -> None:
    """Takes a verdict with the finding that decides it, wide, in both colour schemes."""
    events = shown_review()
    thread, votes = standing(posted(events)), replay(events).votes
    for dark in (False, True):
        context = await browser.new_context(viewport=SUMMARY, device_scale_factor=1.5)
        page = await context.new_page()
        await page.set_content(summary_page(thread, votes, dark=dark))
        file = folder / f"summary-{'dark' if dark else 'light'}.jpeg"
        await page.screenshot(path=file, type="jpeg", quality=QUALITY, full_page=True)
        print(file)
        await context.close()


async def main(folder: Path) -> None:
    env = {"DEBATE_SIGNING_KEY": KEY}
    with tempfile.TemporaryDirectory() as place:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
            async with opened_room(browser, Path(place), env, {}, stage) as room:
                await open_live(browser, room)
                for dark in (False, True):
                    await take(browser, room, folder, dark=dark)
                events = await finished_review(room.parts, "revw4k7q", BEGUN)
                await take_threads(browser, events, folder)
            await take_summary(browser, folder)
            (folder / PICTURE.name).write_text(drawn(frames()), "utf-8")
            await browser.close()


if __name__ == "__main__":
    if not find():
        sys.exit("There is no Chromium here: `make test-browser` says how to get one.")
    fonts = subprocess.run(["fc-list"], capture_output=True, text=True, check=False).stdout
    if "Emoji" not in fonts:
        print("No font has emoji here: apt-get install fonts-noto-color-emoji", file=sys.stderr)
    pictures = Path(sys.argv[1])
    pictures.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(pictures))
