"""Links for people outside: one debate, until their end or until they are taken back."""

from __future__ import annotations

import re
from pathlib import Path

import aiohttp
import pytest

from tests.bot.room.serving import Served
from tests.bot.room.test_signing_in import signing

KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="
ALLOWED = {"DEBATE_ROOM_LINKS": "1", "DEBATE_SIGNING_KEY": KEY}


async def test_a_link_opens_one_debate_for_reading_and_nothing_else(tmp_path: Path) -> None:
    async with signing(tmp_path, ALLOWED) as on:
        shared = await on.room.settled(place="slack:T1/C1", asker="slack:T1/U1")
        other = await on.room.settled(place="slack:T1/C1", asker="slack:T1/U1")
        await on.sign_in()
        token = await on.room.token()
        form = {"token": token, "days": "7"}
        assert (await on.room.post(f"/d/{shared.id}/links", {}, **form))[0] == 303
        _, page, _ = await on.room.get(f"/d/{shared.id}")
        match = re.search(rf"/d/{shared.id}/open/([\w.-]+)", page)
        assert match
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as web:
            guest = Served(on.room.parts, on.room.bot, web)
            assert (await guest.get(f"/d/{shared.id}"))[0] == 303
            forged = match[0][:-2] + ("AA" if not match[0].endswith("AA") else "BB")
            assert (await guest.get(forged))[0] == 404
            assert (await guest.get(f"/d/{other.id}/open/{match[1]}"))[0] == 404
            status, _, headers = await guest.get(match[0])
            assert (status, headers["Location"]) == (303, f"/d/{shared.id}")
            status, page, _ = await guest.get(f"/d/{shared.id}")
            assert status == 200
            assert 'data-can=""' in page
            assert match[1] not in page
            assert (await guest.get(f"/d/{shared.id}/debate-{shared.id}.md"))[0] == 200
            for path in ("/", f"/d/{other.id}", f"/d/{other.id}/live", "/you"):
                assert (await guest.get(path))[0] == 303
            press = {"action": "held", "value": f"{shared.id}:yes"}
            assert (await guest.post("/press", {}, **press))[0] == 401
            form = {"token": token, "link": match[1].partition(".")[0]}
            assert (await on.room.post(f"/d/{shared.id}/links/end", {}, **form))[0] == 303
            assert (await guest.get(f"/d/{shared.id}"))[0] == 303
            assert (await guest.get(match[0]))[0] == 404


@pytest.mark.parametrize(
    ("env", "asker"),
    [
        ({"DEBATE_ROOM_LINKS": "1"}, "slack:T1/U1"),
        ({"DEBATE_SIGNING_KEY": KEY}, "slack:T1/U1"),
        (ALLOWED, "slack:T1/U2"),
    ],
    ids=["without a key", "without the operator's word", "who may not change the debate"],
)
async def test_nobody_else_makes_a_link(tmp_path: Path, env: dict[str, str], asker: str) -> None:
    async with signing(tmp_path, env) as on:
        debate = await on.room.settled(place="slack:T1/C1", asker=asker)
        await on.sign_in()
        form = {"token": await on.room.token(), "days": "7"}
        assert (await on.room.post(f"/d/{debate.id}/links", {}, **form))[0] == 403
        _, page, _ = await on.room.get(f"/d/{debate.id}")
        assert "people outside" not in page
