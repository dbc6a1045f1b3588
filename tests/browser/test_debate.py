"""The page of a debate: its content, its live updates, and the things that it never does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from core.words.views.verdict.decision import decision
from tests.browser.conftest import OpenRoom
from tests.browser.room import IN_BROWSER, PHONE, WIDE, accessible, fits

pytestmark = IN_BROWSER


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [WIDE, PHONE])
async def test_a_finished_debate_can_be_read_by_everybody(
    open_room: OpenRoom, size: tuple[int, int], dark: bool
) -> None:
    room = await open_room()
    debate = await room.played()
    page = await room.page(f"/d/{debate.id}", size=size, dark=dark)
    await expect(page.locator("h1")).to_have_text(decision(debate).headline)
    about = page.locator(".verdict .about")
    await expect(about).to_have_text("payments: ask the gateway again when it stumbles")
    assert await accessible(page) == []
    await page.goto(room.address)
    assert await accessible(page) == []
    assert await fits(page)
    assert room.problems == room.foreign == []


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
