"""A debate as a file that plays, opened from a disk without any network."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, ViewportSize, expect

from adapters.posts.export.play import play
from tests.adapters.posts.test_play import reviewed
from tests.browser.room import IN_BROWSER, accessible

pytestmark = IN_BROWSER


@pytest.mark.parametrize("width", [360, 1440])
async def test_it_plays_to_the_verdict_and_asks_nobody(
    chromium: Browser, tmp_path: Path, width: int
) -> None:
    file = tmp_path / "debate.html"
    file.write_text(play(reviewed().events), "utf-8")
    context = await chromium.new_context(
        viewport=ViewportSize(width=width, height=700), offline=True
    )
    page = await context.new_page()
    complaints, requests = list[str](), list[str]()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    await page.goto(file.as_uri())
    await expect(page.locator("article:visible")).to_have_count(1)
    assert await accessible(page) == []
    await page.get_by_role("button", name="Next").click()
    await expect(page.locator("article:visible")).to_have_count(2)
    await page.keyboard.press("ArrowLeft")
    await expect(page.locator("article:visible")).to_have_count(1)
    await page.keyboard.press("ArrowRight")
    await expect(page.locator("article:visible")).to_have_count(2)
    await page.locator("body").press("ArrowLeft")
    await expect(page.locator("article:visible")).to_have_count(1)
    await page.get_by_label("Speed").select_option("8")
    await page.get_by_role("button", name="Play").click()
    last = page.locator("article.last")
    await expect(last).to_be_visible()
    await expect(page.get_by_role("button", name="Play")).to_be_visible()
    box, bar = await last.bounding_box(), await page.locator("#bar").bounding_box()
    assert box is not None
    assert bar is not None
    assert box["y"] + box["height"] <= bar["y"], "nothing of the verdict is behind the bar"
    assert bar["height"] < 130
    then = page.get_by_role("status")
    before = await then.text_content()
    await page.get_by_label("If people had voted otherwise").select_option(index=1)
    assert before
    assert await then.text_content()
    assert await accessible(page) == []
    wide = "() => document.documentElement.scrollWidth <= window.innerWidth"
    assert await page.evaluate(wide)
    assert (complaints, requests) == ([], [file.as_uri()])
    await context.close()
