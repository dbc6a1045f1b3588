"""Several people press the same button at the same moment, over Slack, Discord and the room: the
forge receives one request, and the debate keeps one result.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.forges.review import preview_review
from bot.serve.process import Bot
from bot.wire.parts import Parts
from core.debate.events import StopOrdered
from tests.bot.debates.provider import Provider
from tests.bot.forges.town import NUMBER, REPO, diff, reply
from tests.bot.room.serving import Served
from tests.end_to_end.slack_office import office
from tests.end_to_end.world import comes
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.openai import TWO_MODELS, openai

AT = (REPO, NUMBER)
LINK = f"https://github.com/{REPO}/pull/{NUMBER}"


@pytest.fixture
async def paid(github: GitHubStandIn) -> AsyncIterator[dict[str, Any]]:
    """Yields the settings of a bot whose models find a defect, beside a forge that has one."""
    github.pulls[AT] = Pull(diff=diff(a=["x = 1 # BUG one"]), title="Count what is sold")
    provider = Provider(reply)
    async with openai(provider):
        yield {"GITHUB_TOKEN": "personal", **provider.settings(TWO_MODELS)}


@asynccontextmanager
async def room_of(parts: Parts, bot: Bot | None) -> AsyncIterator[Served]:
    """Returns the room of a bot that serves chats, with the shell's person in it."""
    assert bot is not None
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as web:
        room = Served(parts, bot, web)
        await room.enter()
        yield room


async def approve(room: Served, debate: str) -> None:
    _, review = await preview_review(room.parts.forges.context, debate)
    await press(room, "approve", f"{debate}:{review.digest}")


async def press(room: Served, action: str, value: str) -> None:
    form: dict[str, Any] = {"token": await room.token(), "action": action, "value": value}
    status, text, _ = await room.post("/press", **form)
    assert status == 303, text


async def written(parts: Parts, debate: str) -> None:
    """Waits until everything for the forge is written."""

    async def done() -> bool:
        states = await parts.forges.context.work.of(debate)
        return bool(states) and all(each.state == "done" for each in states)

    await comes(done)


async def stops(parts: Parts, debate: str) -> list[StopOrdered]:
    return [e for e in await parts.stores.debates.load(debate) if isinstance(e, StopOrdered)]


async def test_a_review_that_slack_and_the_room_post_at_once_is_posted_once(
    tmp_path: Path, github: GitHubStandIn, paid: dict[str, Any]
) -> None:
    async with office(tmp_path, github, env=paid) as place:
        debate = await place.debate(f"code_review {LINK} --debate-anyway --yes")
        root = place.root(debate)
        await place.closed(debate)
        verdict = place.message(":verdict")
        previews = []
        for user in ("U1", "U2"):
            await place.pressed(verdict["ts"], "Post the review", user=user)
            previews.append((user, place.slack.responses[-1]))
        assert github.written.reviews[AT] == []
        before = len(place.slack.responses)
        async with room_of(place.parts, place.bot) as room:
            await asyncio.gather(
                approve(room, debate),
                *(
                    place.slack.press_private(preview, "Post exactly this", user=user)
                    for user, preview in previews
                ),
            )
        await place.until(lambda: len(place.slack.responses) >= before + 2)
        await written(place.parts, debate)
        await place.until(lambda: "The review was posted" in place.page(root))
        await place.wait_for_posts()
        assert len(github.written.reviews[AT]) == 1
        assert place.page(root).count("The review was posted") == 1


async def test_a_debate_that_slack_and_the_room_stop_at_once_is_stopped_once(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    async with office(tmp_path, github) as place:
        place.time.let(2)
        debate = await place.debate("triad Shall we?")
        root = place.root(debate)
        await place.until(lambda: not place.time.passes)
        async with room_of(place.parts, place.bot) as room:
            await asyncio.gather(
                press(room, "stop", debate),
                *(place.pressed(root, "Stop", user=user) for user in ("U1", "U2")),
            )
        place.time.let()
        await place.reaches(debate, lambda found: bool(found.stop))
        await place.closed(debate)
        assert len(await stops(place.parts, debate)) == 1
        assert await place.parts.stores.queue.load_waiting(debate) == []
