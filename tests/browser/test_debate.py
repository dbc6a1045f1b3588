"""The page of a debate: its content, its live updates, and the things that it never does."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.async_api import Page, expect

from tests.browser.conftest import OpenRoom
from tests.browser.room import IN_BROWSER

pytestmark = IN_BROWSER


async def test_the_page_that_followed_shows_what_a_loaded_one_shows(
    open_room: OpenRoom, tmp_path: Path
) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    room = await open_room(DEBATE_SCRIPTED_HOLD=str(hold))
    page = await room.page(f"/d/{await room.start()}")
    await expect(page.locator("main[data-link=open]")).to_be_attached()
    hold.unlink()
    await expect(page.locator("main[data-link=done]")).to_be_attached()
    followed = await content_of(page)
    await page.reload()
    assert followed == await content_of(page)
    assert room.problems == []


async def content_of(page: Page) -> str:
    """Returns the page's content without the parts that belong to one reader."""
    html = await page.evaluate("document.querySelector('main').innerHTML")
    html = re.sub(r'(name="token" )value="[0-9a-f]*"', r"\1", html)
    html = re.sub(r"(<time[^>]*>)[^<]*", r"\1", html)  # how long ago it was
    html = re.sub(r'<p id="say".*?</p>', "", html, flags=re.DOTALL).replace(" fresh", "")
    return re.sub(r"\s+", "", html)
