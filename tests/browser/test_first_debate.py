"""A newcomer's first debate, from the empty page to the verdict."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.async_api import Page, expect

from tests.browser.conftest import OpenRoom
from tests.browser.room import DIFF, IN_BROWSER, accessible

pytestmark = IN_BROWSER
DROP = """text => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "retry.diff", {type: "text/plain"}));
    const drop = new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true});
    document.querySelector("form[data-drop]").dispatchEvent(drop);
}"""
QUESTION = "Should the queue of jobs live in PostgreSQL?"


async def test_from_the_empty_page_to_the_verdict(open_room: OpenRoom, tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    room = await open_room(DEBATE_SCRIPTED_HOLD=str(hold))
    page = await room.page("/")
    await expect(page.get_by_role("heading", name="No debate yet")).to_be_visible()
    assert await accessible(page) == []
    await page.get_by_role("link", name="Start the first one").click()
    assert await accessible(page) == []
    await page.get_by_label("What is to be debated?").fill(QUESTION)
    await page.get_by_role("radio", name="Triad").check()
    await page.get_by_text("Options", exact=True).click()
    await page.get_by_label("Vote window").fill("10m")
    assert await accessible(page) == []
    await page.get_by_role("button", name="Show the price").click()
    await expect(page.locator(".price")).to_have_text("Price: free, 16 calls")
    await expect(page.get_by_label("What is to be debated?")).to_have_value(QUESTION)
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    await expect(page.locator(".words").first).not_to_be_empty()
    await expect(page.get_by_role("heading", name="Round 1")).to_be_visible()
    await challenged(page)
    await paused_and_resumed(page)
    hold.unlink()
    await expect(page.locator("#verdict-title.decision")).to_be_visible()
    await expect(page.locator(".person .small")).to_contain_text("Answered by")
    await page.get_by_role("button", name="It depends").first.click()
    await expect(page.locator("#p-ballot")).to_contain_text("Your vote")
    await expect(page.locator(".tally tr", has_text="it depends").locator("td").last).to_have_text(
        "1"
    )
    assert await accessible(page) == []
    await found_again(page)
    assert room.problems == room.foreign == []


async def found_again(page: Page) -> None:
    """Finds the debate by a word of the question, and not by a word that nobody said."""
    search = page.get_by_role("searchbox", name="Search debates")
    await search.fill("xylophone")
    await search.press("Enter")
    await expect(page.get_by_text("No debate fits.")).to_be_visible()
    assert await accessible(page) == []
    await search.fill("jobs postgres")
    await search.press("Enter")
    await expect(page.locator(".excerpt mark").first).to_be_visible()
    assert await accessible(page) == []
    await page.get_by_role("link", name=QUESTION).click()
    await expect(page.locator("#verdict-title.decision")).to_be_visible()


async def challenged(page: Page) -> None:
    """Challenges a seat and checks that the answer is owed and given."""
    await page.get_by_label("Your objection; a seat must answer it").fill(
        "What does it cost to run both?"
    )
    await page.get_by_role("button", name="Challenge", exact=True).click()
    await expect(page.locator("#p-say output")).to_contain_text(
        re.compile(r"Taken\. .* will answer in round \d of \d")
    )
    await expect(page.locator(".turn.person")).to_contain_text("What does it cost to run both?")


async def paused_and_resumed(page: Page) -> None:
    await page.get_by_role("button", name="Pause").click()
    await expect(page.locator("#p-bar .tag")).to_have_text("paused")
    assert await accessible(page) == []
    await page.get_by_role("button", name="Go on").click()
    await expect(page.locator("#p-bar .tag")).to_have_text("running")


async def test_what_is_typed_in_a_chat_works_in_the_same_field(open_room: OpenRoom) -> None:
    room = await open_room()
    page = await room.page("/new")
    field = page.get_by_label("What is to be debated?")
    await field.fill(f'/debate triad "{QUESTION}" --vote-window off')
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.locator("#verdict-title.decision")).to_be_visible()
    await page.goto(f"{room.address}/new")
    await field.fill("/debate staus")
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.locator(".notice.bad")).to_contain_text("Did you mean status?")
    await field.fill("/debate list")
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Debates")


async def test_a_wrong_option_is_told_beside_its_field(open_room: OpenRoom) -> None:
    room = await open_room()
    page = await room.page("/new")
    await page.get_by_label("What is to be debated?").fill(QUESTION)
    await page.get_by_text("Options", exact=True).click()
    await page.get_by_label("Threshold").fill("700")
    await page.get_by_role("button", name="Start", exact=True).click()
    wrong = page.locator(".field.wrong")
    await expect(wrong).to_contain_text("a share above 0 and at most 1")
    await expect(wrong.get_by_label("Threshold")).to_have_value("700")
    assert await room.parts.stores.debates.find_recent() == []


async def test_a_file_that_is_dropped_is_debated(open_room: OpenRoom, tmp_path: Path) -> None:
    hold = tmp_path / "hold"  # the title is the heading until the verdict takes its place
    hold.touch()
    room = await open_room(DEBATE_SCRIPTED_HOLD=str(hold))
    page = await room.page("/new")
    await page.evaluate(DROP, DIFF)
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("ask the gateway again")


async def test_every_page_works_without_a_script(open_room: OpenRoom, tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    room = await open_room(DEBATE_SCRIPTED_HOLD=str(hold))
    page = await room.page("/new", java_script_enabled=False)
    await page.get_by_label("What is to be debated?").fill(QUESTION)
    await page.get_by_role("radio", name="Triad").check()
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    debate = (await room.parts.stores.debates.find_recent())[0]
    hold.unlink()
    while not (await room.load(debate.id)).final:
        await page.wait_for_timeout(50)
    await page.reload()
    await expect(page.locator("#verdict-title.decision")).to_be_visible()
    await page.get_by_text("Fork this debate").click()
    await page.get_by_label("Suppose that").fill("a second worker is there")
    hold.touch()
    await page.get_by_role("button", name="Fork").first.click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    assert page.url != f"{room.address}/d/{debate.id}"
