"""A person objects to the verdict on the page of a finished debate, on a phone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.async_api import expect

from adapters.models.scripted import Scripted
from core.debate.ports import Model
from tests.browser.conftest import OpenRoom
from tests.browser.room import IN_BROWSER, PHONE, accessible, fits
from tests.end_to_end.played import Watched

pytestmark = IN_BROWSER
OBJECTION = "The caller holds the lock, so nothing runs twice."


class Judge(Scripted):
    """A scripted model on whose judgement people may rely."""

    demo = False


@dataclass(slots=True)
class Judges(Watched):
    def _make_scripted(self, name: str) -> Model:
        return Judge(latency=0.0)


async def test_an_objection_from_the_finished_page_on_a_phone(open_room: OpenRoom) -> None:
    room = await open_room(make_models=Judges)
    debate = await room.played(rounds=2)
    page = await room.page(f"/d/{debate.id}", size=PHONE)
    closed = "The vote on this verdict is closed. An objection opens it again."
    await expect(page.locator("#p-ballot")).to_contain_text(closed)
    box = page.locator("#p-say")
    await expect(box).to_contain_text("the seats concerned answer it and decide again")
    await box.get_by_role("textbox").fill(OBJECTION)
    await box.get_by_role("button", name="Challenge").click()
    exchange = page.locator("#challenge-x1")
    await expect(exchange).to_contain_text(OBJECTION)
    await expect(page.locator(".verdict")).to_contain_text("ann's objection")
    await expect(page.locator(".verdict").get_by_role("link", name="The objection")).to_be_visible()
    await expect(exchange).to_contain_text("ann's objection")
    state = await room.load(debate.id)
    assert state.final
    assert [c.text for c in state.challenges] == [OBJECTION]
    assert await accessible(page) == []
    assert await fits(page)
    assert room.problems == room.foreign == []


async def test_verdict_votes_and_objection_share_the_first_screen_of_a_phone(
    open_room: OpenRoom,
) -> None:
    room = await open_room(make_models=Judges)
    id = await room.start(rounds=2, vote_window=600.0)
    page = await room.page(f"/d/{id}", size=PHONE)
    tab = re.compile("^(Approved|Comments|Changes requested|No ).* · payments: .* · Debatebot$")
    await expect(page).to_have_title(tab)
    ballot, box = page.locator("#p-ballot"), page.locator("#p-say")
    within = [page.locator(".verdict .decision"), *await ballot.get_by_role("button").all()]
    within += [box.get_by_role("textbox"), box.get_by_role("button", name="Challenge")]
    assert len(within) >= 5, "the decision, its votes, the box and its button"
    for each in within:
        await expect(each).to_be_in_viewport(ratio=1)
    for link in await page.get_by_role("navigation", name="Pages").get_by_role("link").all():
        await expect(link).to_be_in_viewport(ratio=1)
    assert await page.evaluate("scrollY") == 0
    await page.locator("#p-report, #rounds").last.scroll_into_view_if_needed()
    for each in within[1:]:
        await expect(each).to_be_in_viewport(ratio=1)
    await page.evaluate("document.getElementById('p-say').classList.remove('over')")
    votes, field = await ballot.bounding_box(), await box.bounding_box()
    assert votes is not None
    assert field is not None
    assert votes["y"] < field["y"], "while seats answer, the votes come before the docked box"
    await page.evaluate("document.getElementById('p-say').classList.add('over')")
    await ballot.get_by_role("button", name="Approve").click()
    await expect(page.locator("body")).to_contain_text("Your vote in this debate: approve.")
    assert await accessible(page) == []
    assert await fits(page)
    assert room.problems == room.foreign == []


async def test_a_refused_objection_stays_in_its_box(open_room: OpenRoom) -> None:
    room = await open_room()  # the scripted models only demonstrate, so an objection is refused
    debate = await room.played()
    page = await room.page(f"/d/{debate.id}", size=PHONE)
    # as before the end
    await page.locator("#p-say").evaluate("it => it.append(document.createElement('form'))")
    box = page.locator("details.box").first
    await box.get_by_text("Challenge").click()
    await box.get_by_role("textbox").fill(OBJECTION)
    await box.get_by_role("button", name="Send").click()
    await expect(box).to_contain_text("It was a demonstration")
    await expect(box.get_by_role("textbox")).to_have_value(OBJECTION)


async def test_a_finished_demonstration_offers_another_debate(open_room: OpenRoom) -> None:
    room = await open_room()  # the scripted models only demonstrate
    debate = await room.played()
    page = await room.page(f"/d/{debate.id}", size=PHONE)
    await expect(page.locator("#p-say")).to_contain_text("models cannot judge an objection")
    await expect(page.locator("#p-say").get_by_role("link")).to_be_visible()
    await expect(page.locator("#p-ballot")).to_contain_text("The vote on this verdict is closed.")
    await expect(page.locator("#p-ballot")).not_to_contain_text("An objection opens it again")
    assert await page.locator("details.box").count()
    assert await page.locator("details.box:visible").count() == 0
    await page.locator("#p-say").evaluate("it => it.replaceChildren()")  # as without a verdict
    assert await page.locator("details.box:visible").count() == 0
