"""The page of a change: it shows every line with the findings beside it, and keys move through
it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from bot.shell.links import open_page
from tests.browser.conftest import OpenRoom
from tests.browser.room import IN_BROWSER, accessible, fits
from tests.browser.stage import stage

pytestmark = IN_BROWSER


@pytest.mark.parametrize(("width", "dark"), [(360, True), (800, False), (1440, False)])
async def test_a_change_is_read_with_its_findings_at_their_lines(
    open_room: OpenRoom, width: int, dark: bool
) -> None:
    room = await open_room(stage)
    page = await room.page("/d/revw4k7q", size=(width, 900), dark=dark)
    await page.get_by_role("link", name="See the whole change").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("The change")
    debate = await room.load("revw4k7q")
    rows = page.locator(".code tr:not(.noted) .n:first-child + .n + .m")
    lines = sum(len(hunk.lines) + bool(hunk.header) for hunk in debate.open.material.hunks)
    await expect(rows).to_have_count(lines)
    notes = page.locator(".note")
    assert await notes.count() > 1
    await expect(notes.first).to_contain_text("Held by")
    cited = page.locator("tr.cited:has(+ tr.noted)").first
    await expect(cited).to_be_visible()
    assert await accessible(page) == []
    assert await fits(page)
    for key, place in (("j", 0), ("j", 1), ("k", 0)):
        await page.keyboard.press(key)
        await expect(notes.nth(place)).to_be_focused()
        await expect(notes.nth(place)).to_be_in_viewport()
    assert room.problems == room.foreign == []


async def test_a_file_with_the_link_leads_into_the_room(
    open_room: OpenRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``debate open`` opens it."""
    room = await open_room(stage)
    context = await room.browser.new_context()
    page = await context.new_page()
    given: list[str] = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def take(url: str) -> bool:
        given.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", take)
    assert open_page(await room.link())
    await page.goto(given[0])
    await expect(page.get_by_role("heading", level=1)).to_have_text("Debates")
    await context.close()
