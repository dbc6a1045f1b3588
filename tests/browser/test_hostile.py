"""A debate of which every text is hostile: nothing of it runs, nothing loads."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from playwright.async_api import Page, Request, expect

from bot.wire.parts import Parts
from core.debate import events as e
from core.debate.finding import Finding, Severity
from core.debate.log import Append
from core.debate.replies import Answer, Claim, Position, Stance
from core.debate.state import replay
from tests.browser.conftest import OpenRoom
from tests.browser.room import IN_BROWSER, PHONE, WIDE, Open, fits
from tests.browser.stage import held, keep, opened
from tests.core.table import Table

pytestmark = IN_BROWSER
HOSTILE = (
    "</textarea></title></style></script><script>window.ran = 1</script>"
    "<img src=https://evil.example/i.png onerror=\"window.ran=2\"><svg onload='window.ran=3'>"
    '"><iframe src=//evil.example></iframe><base href=//evil.example/><meta http-equiv=refresh '
    "content=0;url=//evil.example> [a](javascript:window.ran=4) ![i](https://evil.example/m.png) "
    "<a href=javascript:window.ran=5>b</a> https://evil.example/c {{ 7 * 7 }} {% raw %} "
    "\x00token\x00 \u202egnp.exe\u202c ' onmouseover='window.ran=6 &lt;script&gt; ]]> --> \\"
)
BAD = Finding(
    "", Severity.CRITICAL, 0.9, HOSTILE, HOSTILE, 25, quote=HOSTILE, trigger=HOSTILE, fix=HOSTILE
)


def says(made: Table, turn: str) -> Table:
    stance = Stance("request_changes", 0.9, HOSTILE, would_resolve_if=HOSTILE)
    return made.says(
        turn, stance, text=HOSTILE, findings=[BAD], claims=[Claim("", HOSTILE)], model=HOSTILE
    )


async def begun(parts: Parts, id: str) -> Table:
    """Returns a debate that is requested and opened, with hostile title, link, files and notes."""
    made = await opened(parts, id, parts.clock.now())
    requested, open = made.events
    assert isinstance(requested, e.DebateRequested)
    assert isinstance(open, e.DebateOpened)
    target, asker = f"javascript:{HOSTILE}", f"shell:{HOSTILE}"
    request = replace(requested.request, target=target, asker=asker)
    material = replace(
        open.material, title=HOSTILE, source=target, revision=HOSTILE, notes=(HOSTILE,),
        author=HOSTILE, body=HOSTILE,
        coverage=tuple(replace(c, path=HOSTILE, reason=HOSTILE) for c in open.material.coverage),
    )  # fmt: skip
    return says(
        Table([replace(requested, request=request), replace(open, material=material)]), "t1"
    )


def spoken_by_all(made: Table) -> Table:
    """Adds everything that follows while the page is watched."""
    says(made, "t2").fails("t3", HOSTILE)
    made.challenges(f"On t2.f1: {HOSTILE}", "security_critic", id="x1", author=f"shell:{HOSTILE}")
    dispute = Answer("t2.f1", Position.DISPUTE, HOSTILE)
    made.says("t4", text=HOSTILE, answers=[dispute])
    for turn in ("t5", "t6", "t7", "t8"):
        says(made, turn)
    text = f"# {HOSTILE}\n\n| a | b |\n|---|---|\n| {HOSTILE} | x |"
    made.says("t9", text=text, actions=(HOSTILE,))
    return made.fails("t10", HOSTILE).votes(f"shell:{HOSTILE}", "request_changes").concluded()


class Watchful:
    """Records the requests of a page beside its own address."""

    def __init__(self, page: Page, room: Open) -> None:
        self.paths: list[str] = []
        self.dialogs: list[str] = []
        page.on("request", self._note)
        page.on("dialog", lambda dialog: self.dialogs.append(dialog.message))
        self._page, self._room = page, room

    def _note(self, request: Request) -> None:
        self.paths.append(urlsplit(request.url).path)

    async def harmless(self, path: str) -> None:
        assert self.dialogs == []
        assert await self._page.evaluate("window.ran") is None
        made = self._page.locator("main").locator("iframe, base, img, object, script")
        assert await made.count() == 0
        own = {path, f"{path}/live", "/favicon.ico"}
        assert [each for each in self.paths if each not in own and "/assets/" not in each] == []
        for link in await self._page.locator("main a[href]").all():
            href = await link.get_attribute("href") or ""
            assert href.startswith(("/", "#", "https://github.com/", "https://gitlab.com/")), href
        assert self._room.foreign == []
        assert self._room.problems == []


async def test_every_text_is_only_text(open_room: OpenRoom) -> None:
    room = await open_room()
    made = await begun(room.parts, "hst1k7qx")
    past = len(made.events)
    await keep(room.parts, made.events)
    page = await room.page()
    watchful = Watchful(page, room)
    async with held(room.parts, "hst1k7qx") as log:
        await page.goto(f"{room.address}/d/hst1k7qx")
        await expect(page.locator("main[data-link=open]")).to_be_attached()
        fresh = tuple(spoken_by_all(made).events[past:])
        await log.append(Append("hst1k7qx", past, fresh, status=replay(made.events).status))
    await expect(page.locator("main[data-link=done]")).to_be_attached()
    await expect(page.locator("#turn-t9")).to_contain_text("window.ran")
    await watchful.harmless("/d/hst1k7qx")
    for path in ("/d/hst1k7qx", "/", "/costs"):
        watchful.paths.clear()
        await page.goto(room.address + path)
        await watchful.harmless(path)
        await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        assert await fits(page)
        await page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})


async def test_a_hostile_search_and_a_hostile_form_come_back_as_text(open_room: OpenRoom) -> None:
    room = await open_room()
    page = await room.page("/")
    watchful = Watchful(page, room)
    await page.get_by_role("searchbox", name="Search debates").fill(HOSTILE[:200])
    await page.get_by_role("button", name="Search").click()
    await expect(page.get_by_role("searchbox", name="Search debates")).to_have_value(HOSTILE[:200])
    await watchful.harmless("/")
