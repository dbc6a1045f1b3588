"""Every page, light and dark, wide and on a phone: nothing that a screen reader or a weak eye can't
use, nothing that runs out of the window, nothing asked of another host.
"""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenRoom
from tests.browser.room import IN_BROWSER, PHONE, WIDE, accessible, fits
from tests.browser.stage import begin_speaking, stage
from tests.patience import PATIENCE

pytestmark = IN_BROWSER
PAGES = (
    "/", "/new", "/d/revw4k7q", "/d/rnng5t8w", "/d/qst7n2hd", "/d/revw4k7q/forks",
    "/d/revw4k7q/receipt", "/receipts", "/schedules", "/repositories", "/templates",
    "/templates/code_review", "/templates/check", "/leaderboard", "/costs", "/doctor", "/log",
    "/webhooks", "/you", "/tokens", "/nowhere",
)  # fmt: skip
FOCUSED = """(() => {
    const at = document.activeElement;
    at.dataset.at ||= Math.random();
    return [at.dataset.at, at.tagName, getComputedStyle(at).outlineStyle];
})()"""
CLOCK = re.compile(r"\d:\d\d")
KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [WIDE, PHONE])
async def test_every_page_can_be_used_by_everybody(
    open_room: OpenRoom, size: tuple[int, int], dark: bool
) -> None:
    room = await open_room(stage, DEBATE_SIGNING_KEY=KEY)
    page = await room.page("/", size=size, dark=dark)
    wrong = {}
    for path in PAGES:
        await page.goto(room.address + path)
        violations = [
            *await accessible(page),
            *([] if await fits(page) else ["wider than its window"]),
        ]
        if violations:
            wrong[path] = violations
    assert wrong == {}
    assert room.foreign == []
    assert [p for p in room.problems if "404" not in p] == []


async def test_the_keyboard_reaches_everything(open_room: OpenRoom) -> None:
    """Each press of Tab, from the top of a debate's page on, goes to something that can be used,
    and the focus is visible.
    """
    room = await open_room(stage, DEBATE_SIGNING_KEY=KEY)
    page = await room.page("/d/revw4k7q")
    wanted = await page.evaluate(
        "[...document.querySelectorAll('a[href], button, input:not([type=hidden]), summary,"
        " textarea, select')].filter(e => e.checkVisibility()).length"
    )
    reached = set()
    for _ in range(wanted + 30):
        await page.keyboard.press("Tab")
        seen = await page.evaluate(FOCUSED)
        if seen[1] in ("A", "BUTTON", "INPUT", "SUMMARY", "TEXTAREA", "SELECT"):
            assert seen[2] != "none", f"{seen[1]} shows no focus"
            reached.add(seen[0])
    assert len(reached) == wanted
    await page.goto(room.address + "/d/revw4k7q")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.querySelector('main').contains(document.activeElement)")


async def test_a_page_on_paper_has_no_buttons(open_room: OpenRoom) -> None:
    room = await open_room(stage)
    page = await room.page("/d/revw4k7q")
    await page.emulate_media(media="print")
    for button in await page.get_by_role("button").all():
        assert not await button.is_visible()
    await expect(page.locator(".decision")).to_be_visible()


async def test_schedules_are_paused_resumed_and_removed(open_room: OpenRoom) -> None:
    room = await open_room(stage)
    page = await room.page("/schedules")
    first = page.locator(".shelf li").first
    await expect(first).to_contain_text("Next:")
    await first.get_by_role("button", name="Pause").click()
    await expect(page.get_by_role("status").first).to_contain_text("is paused")
    await page.get_by_role("button", name="Go on").click()
    await expect(page.get_by_role("status").first).to_contain_text("is resumed")
    page.on("dialog", lambda dialog: dialog.accept())
    await page.locator(".shelf li").first.get_by_role("button", name="Remove").click()
    await expect(page.locator(".shelf li")).to_have_count(1)
    await page.get_by_text("New schedule").click()
    await page.get_by_label("When").fill("every weekday 09:00")
    await page.get_by_label("What", exact=True).fill("github:acme/shop")
    await page.get_by_label("At most").fill("500")
    await page.get_by_role("button", name="Add", exact=True).click()
    assert await page.get_by_label("At most").evaluate("field => !field.validity.valid")
    await page.get_by_label("At most").fill("3")
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.locator(".shelf li")).to_have_count(2)
    assert room.problems == []


async def test_a_template_of_ones_own_is_checked_with_its_faults_marked(
    open_room: OpenRoom,
) -> None:
    room = await open_room()
    page = await room.page("/templates/code_review")
    source = await page.locator("pre code").text_content()
    assert source
    await page.goto(room.address + "/templates/check")
    await page.get_by_role("textbox", name="The file").fill(source)
    await page.get_by_role("button", name="Check").click()
    await expect(page.locator(".result h2")).to_have_text("A good template")
    broken = re.sub(r"(?m)^consensus_threshold = .*$", "consensus_threshold = 7", source)
    await page.get_by_role("textbox", name="The file").fill(broken)
    await page.get_by_role("button", name="Check").click()
    await expect(page.locator(".result h2")).to_have_text("1 fault")
    await expect(page.locator("tr.cited .t").first).to_contain_text("consensus_threshold = 7")
    assert await accessible(page) == []


async def test_a_receipt_is_verified_saved_and_checked_again(open_room: OpenRoom) -> None:
    room = await open_room(stage, DEBATE_SIGNING_KEY=KEY)
    page = await room.page("/d/revw4k7q")
    await page.get_by_role("link", name="Verify the receipt").click()
    await expect(page.get_by_role("status")).to_have_text("The receipt is genuine.")
    async with page.expect_download() as saving:
        await page.get_by_role("link", name="Save it").click()
    path = await (await saving.value).path()
    text = path.read_text("utf-8")
    await page.goto(room.address + "/receipts")
    await page.get_by_label("or its text").fill(text)
    await page.get_by_role("button", name="Check").click()
    await expect(page.get_by_role("status")).to_have_text("The receipt is genuine.")
    await page.get_by_label("or its text").fill(text.replace("request_changes", "approve"))
    await page.get_by_role("button", name="Check").click()
    await expect(page.get_by_role("status")).to_have_text("Do not rely on this receipt.")


async def test_a_fork_stands_beside_what_it_was_forked_from(open_room: OpenRoom) -> None:
    room = await open_room()
    debate = await room.played("triad", target="Should we rewrite it?", text="")
    page = await room.page(f"/d/{debate.id}")
    await page.get_by_text("Fork this debate").click()
    await page.get_by_label("Suppose that").fill("the table has ten million rows")
    await page.get_by_role("button", name="Fork", exact=True).click()
    await expect(page.locator("#verdict-title.decision")).to_be_visible()
    assert debate.id not in page.url
    await page.get_by_role("link", name="Side by side").click()
    await expect(page.locator("table.beside")).to_contain_text("This debate")
    assert await accessible(page) == []
    await page.goto(f"{room.address}/d/{debate.id}")
    await expect(page.locator("#forks")).to_contain_text("the table has ten million rows")


DESK, HAND, SMALL = (1440, 900), (390, 844), (360, 780)
SEEN = "document.querySelector('.skip').remove(), document.body.innerText"
"""The parts that people see; the link that skips the names of the pages is there for the keyboard
alone.
"""
BOTTOM = "e => e.getBoundingClientRect().bottom"
LINES = (
    "e => Math.round(e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight))"
)


@pytest.mark.parametrize("size", [DESK, HAND, SMALL])
async def test_the_first_screen_of_a_live_page_has_who_speaks_and_the_box_to_object(
    open_room: OpenRoom, size: tuple[int, int]
) -> None:
    room = await open_room(stage)
    page = await room.page("/d/rnng5t8w", size=size)
    await begin_speaking(room.parts, "rnng5t8w")
    speaker = page.locator("#p-now .speaker").first
    await expect(speaker.locator(".words")).to_contain_text("I will draw the key once")
    assert await speaker.evaluate(BOTTOM) <= size[1]
    box = page.get_by_label("Your objection; a seat must answer it")
    assert await box.evaluate(BOTTOM) <= size[1]
    send = page.get_by_role("button", name="Challenge", exact=True)
    assert await send.evaluate(BOTTOM) <= size[1]


@pytest.mark.parametrize("size", [DESK, HAND, SMALL])
async def test_the_first_screen_of_a_finished_page_has_the_decision_and_what_decides(
    open_room: OpenRoom, size: tuple[int, int]
) -> None:
    room = await open_room(stage)
    page = await room.page("/d/revw4k7q", size=size)
    text: str = await page.evaluate(SEEN)
    above, decided, _ = text.partition("Changes requested")
    assert decided
    assert len(above.split()) <= 10, "the names of the pages, and nothing else"
    assert await page.locator(".decision").evaluate(LINES) <= 2
    begun = page.locator("#p-head time")
    await expect(begun).to_have_text("3 hours ago")
    await expect(begun).to_have_attribute("title", CLOCK)
    assert await page.locator(".deciding li").first.evaluate(BOTTOM) <= size[1]
    if size == DESK:
        assert await page.locator(".finding .cited").first.evaluate(BOTTOM) <= size[1]
    await page.locator(".deciding a").first.click()
    assert "#finding-" in page.url
    await expect(page.locator(".finding:target h3")).to_be_visible()


async def test_what_is_long_in_another_language_keeps_its_room(open_room: OpenRoom) -> None:
    room = await open_room(stage)
    page = await room.page("/?q=gateway", locale="de")
    over = "[...document.querySelectorAll('.entries li')].map(e => [e.children[0], e.children[1]]"
    ends = f"{over}.map(x => x.getBoundingClientRect())).map(([a, b]) => a.right - b.left)"
    assert max(await page.evaluate(ends)) <= 0
    page = await room.page("/you", size=(320, 640), locale="cs")
    assert await fits(page)


async def test_the_list_is_narrowed_by_chips_and_worked_by_keys(open_room: OpenRoom) -> None:
    room = await open_room(stage)
    page = await room.page("/")
    await expect(page.locator(".entries time").first).to_have_attribute("title", CLOCK)
    running = page.locator(".entries li", has=page.locator(".pill.running"))
    async with asyncio.timeout(PATIENCE):  # its address is noted for lists beside the debate
        while "acme/shop#412" not in await running.inner_text():
            await page.reload()
    chips = page.get_by_role("navigation", name="Narrow the list")
    for chip, colour in (("Running", "running"), ("Blocked", "blocked")):
        await chips.get_by_role("link", name=chip).click()
        marks = await page.locator(".entries .pill").evaluate_all("x => x.map(e => e.className)")
        assert marks
        assert set(marks) == {f"pill {colour}"}
        await chips.get_by_role("link", name=chip).click()
        assert page.url == f"{room.address}/"
    await page.goto(f"{room.address}/")
    await page.keyboard.press("/")
    await page.keyboard.type("c")
    await expect(page.get_by_role("searchbox")).to_be_focused()
    await expect(page.get_by_role("searchbox")).to_have_value("c")
    await page.keyboard.press("Tab")
    await page.keyboard.press("c")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Start a debate")
