"""The price of a debate is shown before it is spent, and spent only when somebody agrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bot.wire.parts import Parts
from core.debate.events import DebateOpened, Event
from tests.bot.room.serving import served
from tests.browser.stage import finished_review, keep
from tests.standins.openai import Fail, openai

LIMIT = "0.0001"
PAID = "openai/gpt-4.1"


async def paid_review(parts: Parts) -> Sequence[Event]:
    """Returns a debate whose seats are all one model with a known price."""
    request, opened, *rest = await finished_review(parts, "revw4k7q", parts.clock.now())
    assert isinstance(opened, DebateOpened)
    return [request, replace(opened, cast=dict.fromkeys(opened.cast, (PAID,))), *rest]


async def test_forks_above_the_limit_begin_when_the_price_of_all_is_agreed_to(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, DEBATE_ASK_ABOVE=LIMIT) as room:
        id = await keep(room.parts, await paid_review(room.parts))
        form = {"token": await room.token(), "debate": id, "assume": 'it "costs" <nothing>'}
        status, page, _ = await room.post("/fork", {}, **form)
        assert status == 200
        assert "Price: $" in page
        assert 'value="it &#34;costs&#34; &lt;nothing&gt;"' in page
        assert len(await room.parts.stores.debates.find_recent()) == 1
        status, _, headers = await room.post("/fork", {}, **form, do="agree")
        assert status == 303
        assert headers["Location"] != f"/d/{id}"
        assert len(await room.parts.stores.debates.find_recent()) == 2

        lines = "without security_critic\r\nstrict\r\n"
        form = {"token": await room.token(), "debate": id, "branch": lines}
        status, page, _ = await room.post("/fork", {}, **form)
        assert status == 200
        assert "for the remaining turns of 2 branches (Without security critic: $" in page
        assert len(await room.parts.stores.debates.find_recent()) == 2
        status, _, headers = await room.post("/fork", {}, **form, do="agree")
        assert (status, headers["Location"]) == (303, f"/d/{id}/forks")
        assert len(await room.parts.stores.debates.find_recent()) == 4
        _, page, _ = await room.get(headers["Location"])
        assert "Without security critic" in page


async def test_a_debate_above_the_limit_begins_when_its_price_is_agreed_to(tmp_path: Path) -> None:
    async with openai() as provider:
        provider.answers = [Fail(401, "no")]
        async with served(tmp_path, DEBATE_ASK_ABOVE=LIMIT, **provider.settings(PAID)) as room:
            form = {"token": await room.token(), "target": "Tabs or spaces?", "template": "triad"}
            status, page, _ = await room.post("/new", {}, **form)
            assert status == 200
            assert "Price: $" in page
            assert "Tabs or spaces?" in page
            assert await room.parts.stores.debates.find_recent() == []
            assert provider.requests == []
            status, _, headers = await room.post("/new", {}, **form, do="agree")
            assert (status, headers["Location"][:3]) == (303, "/d/")
            (line,) = await room.parts.stores.debates.find_recent()
            assert headers["Location"] == f"/d/{line.id}"
