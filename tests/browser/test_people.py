"""Signing in with both providers, and that nobody sees anything of another workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from core.application.presence import Member
from tests.browser.conftest import OpenRoom
from tests.browser.room import IN_BROWSER, Open, accessible
from tests.standins.chat import RecordingChat
from tests.standins.members import MembersStandIn
from tests.standins.programs import free_port
from tests.standins.sign_in import CLIENT, SECRET, SignInStandIn

pytestmark = IN_BROWSER
KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="
NEAR = {"slack": ("slack:T1/C1", "slack:T1/U2"), "discord": ("discord:900/1", "discord:900/5")}
FAR = ("slack:T2/C1", "slack:T2/U2")


@asynccontextmanager
async def company(open_room: OpenRoom, folder: Path, **env: str) -> AsyncIterator[Open]:
    """Opens a room with a public address, beside a Slack and a Discord in which Ann is."""
    port = free_port()
    slack = MembersStandIn(RecordingChat(folder / "slack.jsonl"))
    discord = MembersStandIn(RecordingChat(folder / "discord.jsonl"))
    slack.people["slack:T1", "U1"] = Member("Ann", admin=False)
    discord.people["discord:900", "701"] = Member("Ann", admin=False)
    async with SignInStandIn() as who:
        yield await open_room(
            platforms={"slack": slack, "discord": discord},
            DEBATE_PORT=str(port),
            DEBATE_PUBLIC_URL=f"http://127.0.0.1:{port}",
            SLACK_CLIENT_ID=CLIENT,
            SLACK_CLIENT_SECRET=SECRET,
            SLACK_API_URL=who.slack_url,
            DISCORD_CLIENT_ID=CLIENT,
            DISCORD_CLIENT_SECRET=SECRET,
            DISCORD_API_URL=who.discord_url,
            **env,
        )


async def signed_in(room: Open, provider: str, path: str) -> Page:
    page = await room.page(path)
    await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    assert await accessible(page) == []
    await page.get_by_role("link", name=f"Sign in with {provider.title()}").click()
    await page.get_by_role("link", name="Allow").click()
    return page


@pytest.mark.parametrize("provider", ["slack", "discord"])
async def test_signing_in_leads_back_to_the_debate_and_out_again(
    open_room: OpenRoom, tmp_path: Path, provider: str
) -> None:
    async with company(open_room, tmp_path) as room:
        place, asker = NEAR[provider]
        near = await room.played("triad", target="Ours?", text="", place=place, asker=asker)
        far = await room.played("triad", target="Theirs?", text="", place=FAR[0], asker=FAR[1])
        page = await signed_in(room, provider, f"/d/{near.id}")
        await expect(page.get_by_role("main")).to_contain_text("Ours?")
        await expect(page.locator("#p-fork")).to_be_visible()
        await page.goto(room.address)
        await expect(page.get_by_role("link", name="Ours?")).to_be_visible()
        await expect(page.get_by_text("Theirs?")).to_have_count(0)
        answer = await page.goto(f"{room.address}/d/{far.id}")
        assert answer is not None
        assert answer.status == 404
        assert "Theirs?" not in await page.content()
        await page.goto(f"{room.address}/you")
        assert await accessible(page) == []
        await page.get_by_role("button", name="Sign out everywhere").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
        await page.goto(f"{room.address}/d/{near.id}")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


async def test_a_link_shows_one_debate_to_somebody_outside_until_it_is_taken_back(
    open_room: OpenRoom, tmp_path: Path
) -> None:
    links = {"DEBATE_ROOM_LINKS": "1", "DEBATE_SIGNING_KEY": KEY}
    async with company(open_room, tmp_path, **links) as room:
        debate = await room.played(
            "triad", target="Ours?", text="", place="slack:T1/C1", asker="slack:T1/U1"
        )
        page = await signed_in(room, "slack", f"/d/{debate.id}")
        await page.get_by_role("button", name="Make a link").click()
        link = await page.get_by_label("Link made by").input_value()
        outside = await room.page()
        await outside.goto(link)
        await expect(outside.get_by_role("main")).to_contain_text("Ours?")
        await expect(outside.locator("#p-fork")).to_be_hidden()
        assert await accessible(outside) == []
        await page.get_by_role("button", name="Take back").click()
        await expect(page.get_by_label("Link made by")).to_have_count(0)
        await outside.goto(link)
        await expect(outside.get_by_role("main")).not_to_contain_text("Ours?")
