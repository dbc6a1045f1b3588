"""The parts of the room's answers beside their pages (headers, addresses), none of which says what
somebody may not know.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adapters.room.incoming import listing
from adapters.room.incoming.listing import filter_of
from bot.serve.platforms import configured_platforms
from bot.settings import read
from core.debate.errors import BadInput
from tests.bot.room.serving import served
from tests.bot.room.test_signing_in import signing


async def test_over_tls_no_cookie_goes_without_it(tmp_path: Path) -> None:
    async with served(tmp_path, DEBATE_PUBLIC_URL="https://debates.example") as room:
        link = (await room.link()).removeprefix("https://debates.example")
        for path in ("/sign-in", link):
            _, _, headers = await room.get(path)
            given = headers.getall("Set-Cookie")  # type: ignore[attr-defined]  # a multidict
            assert given
            assert all("Secure" in one for one in given)


async def test_a_list_answers_alike_whether_a_debate_elsewhere_is_there_or_not(
    tmp_path: Path,
) -> None:
    async with signing(tmp_path) as on:
        near = await on.room.settled(place="slack:T1/C1", asker="slack:T1/U2")
        far = await on.room.settled(place="slack:T2/C1", asker="slack:T2/U2")
        await on.sign_in()

        async def page_after(before: str) -> str:
            _, page, _ = await on.room.get(f"/?before={before}")
            return page.replace(before, "ID")

        assert await page_after(far.id) == await page_after("zzzzzzzz")
        assert near.id in await page_after(far.id)


async def test_a_list_goes_on_where_its_page_ended_and_every_day_filters_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A filter that comes twice is refused; a foreign field may come twice."""
    monkeypatch.setattr(listing, "PAGE", 3)
    async with served(tmp_path) as room:
        made = [(await room.settled()).id for _ in range(3 + 2)]
        _, first, _ = await room.get("/")
        more = re.search(r'href="([^"]*before=[^"]*)"', first)
        assert more
        _, second, _ = await room.get(more[1].replace("&amp;", "&"))
        matches = re.findall(r'</span> <a href="/d/([0-9a-z]+)"', first + second)
        assert matches == made[::-1]
        for day in ("9999-12-31", "0001-01-01", "9999-12-30", "x", "2026-02-30"):
            for name in ("since", "until"):
                assert (await room.get(f"/?{name}={day}"))[0] == 200
        assert (await room.get("/?status=failed&utm_source=mail&utm_source=chat"))[0] == 200
        status, page, _ = await room.get("/?status=failed&status=paused")
        assert (status, "“status” is in the address twice: send one." in page) == (400, True)


def test_a_place_in_a_list_that_is_none_is_the_beginning() -> None:
    ends = ("9999-12-31T23:59:59-23:59~x", "0001-01-01T00:00:00+23:59~x")
    for cursor in (*ends, "~", "x" * 5000, "\0"):
        assert filter_of({"before": cursor}).before is None


async def test_what_a_form_sends_comes_back_in_no_header(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        token = await room.token()
        huge = "x" * 900_000
        for path, form in (
            ("/press", {"action": "pause", "value": huge}),
            ("/press", {"action": "pause", "value": "nosuchid", "back": huge}),
            ("/press", {"action": "pause", "value": "a\r\nX-Evil: 1"}),
            ("/fork", {"debate": huge}),
        ):
            status, _, headers = await room.post(path, {}, token=token, **form)
            assert status in (303, 400, 413)
            assert sum(len(name) + len(value) for name, value in headers.items()) < 6000
            assert "X-Evil" not in headers


def test_installing_without_a_key_to_seal_with_is_refused_at_the_start(tmp_path: Path) -> None:
    client = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "s" * 32}
    signed = {"SLACK_SIGNING_SECRET": "x" * 32}
    with pytest.raises(BadInput, match="Set DEBATE_SECRET_KEY: debate db key makes one"):
        configured_platforms(read(client | signed, tmp_path), None, list, 0.0)
    own = {"SLACK_BOT_TOKEN": "xoxb-1"}
    platforms = configured_platforms(read(client | signed | own, tmp_path), None, list, 0.0)
    assert list(platforms) == ["slack"]
