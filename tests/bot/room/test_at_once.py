"""People press everything of one debate at the same moment, in two browsers, at one bot and at two
replicas: nothing happens twice, nothing is lost, and each is told what became of it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from core.debate.events import ChallengeRaised, StopOrdered
from core.debate.status import ENDED
from tests.bot.parts import until_status
from tests.bot.room.serving import Served, served
from tests.patience import PATIENCE

JSON = {"Accept": "application/json"}
CHALLENGES = 4
"""The challenges of each browser: together fewer than a debate may have."""


@asynccontextmanager
async def two_browsers(folder: Path, url: str, hold: Path) -> AsyncIterator[Sequence[Served]]:
    """Yields two browsers: at two replicas on PostgreSQL, at one bot on SQLite. While the file
    ``hold`` exists, no seat finishes its answer.
    """
    slow: dict[str, Any] = {"DEBATE_SCRIPTED_LATENCY": "0.4", "DEBATE_SCRIPTED_HOLD": str(hold)}

    async def room() -> Served:
        return await stack.enter_async_context(served(folder, url, **slow))

    async with AsyncExitStack() as stack:
        first = await room()
        if url:
            yield first, await room()
            return
        jar = aiohttp.CookieJar(unsafe=True)
        web = await stack.enter_async_context(aiohttp.ClientSession(cookie_jar=jar))
        second = replace(first, web=web)
        await second.enter()
        yield first, second


async def press(room: Served, token: str, action: str, value: str, text: str = "") -> str:
    """Presses a button and returns the refusal, or the answer if it begins with "Stored", or ""."""
    form = {"action": action, "value": value, "text": text, "token": token}
    status, body, _ = await room.post("/press", JSON, **form)
    answer = json.loads(body)
    assert status in (200, 409, 422), (action, status, body)
    assert answer["text"], "each is told something"
    unsure = status != 200 or answer["text"].startswith("Stored")
    return str(answer["text"]) if unsure else ""


async def fork(room: Served, token: str, debate: str, assumption: str) -> str:
    """Forks the debate and returns the new one's id."""
    form = {"token": token, "debate": debate, "assume": assumption}
    status, body, headers = await room.post("/fork", {}, **form)
    assert status == 303, body
    return headers["Location"].removeprefix("/d/")


async def spoken(room: Served, debate: str) -> None:
    """Waits until a seat has spoken."""
    async with asyncio.timeout(PATIENCE):
        while not (await room.load(debate)).finished:  # noqa: ASYNC110 (a database has no event)
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_what_is_pressed_at_once_happens_once_and_each_is_told(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    url: str = request.getfixturevalue("postgres_url") if kind == "postgresql" else ""
    hold = tmp_path / "hold"
    async with two_browsers(tmp_path, url, hold) as rooms:
        debate = (await rooms[0].debate(wait=False)).id
        await spoken(rooms[0], debate)
        hold.touch()
        tokens = [await room.token() for room in rooms]
        words = [f"Why {n}?" for n in range(CHALLENGES * len(rooms))]
        pairs = list(zip(rooms, tokens, strict=True))

        def challenges(some: Sequence[str]) -> list[asyncio.Task[str]]:
            return [
                asyncio.create_task(press(*pairs[n % 2], "challenge", debate, text))
                for n, text in enumerate(some)
            ]

        early = challenges(words[:CHALLENGES])
        others = [
            asyncio.create_task(press(*each, action, debate))
            for action in ("pause", "stop", "rerun")
            for each in pairs
        ]
        forks = [
            asyncio.create_task(fork(*each, debate, f"There is server {n}"))
            for n, each in enumerate(pairs)
        ]
        late = challenges(words[CHALLENGES:])
        refusals = await asyncio.gather(*early, *late)
        await asyncio.gather(*others)
        branches = await asyncio.gather(*forks)
        hold.unlink()
        await press(*pairs[0], "resume", debate)

        answers = dict(zip(words, refusals, strict=True))
        taken = {text for text, answer in answers.items() if not answer}
        stored = {text for text, answer in answers.items() if answer.startswith("Stored")}
        await until_status(rooms[1].parts, debate, *ENDED)
        events = await rooms[1].parts.stores.debates.load(debate)
        raised = [e.text for e in events if isinstance(e, ChallengeRaised)]
        assert len(raised) == len(set(raised))
        assert taken <= set(raised) <= taken | stored
        assert len([e for e in events if isinstance(e, StopOrdered)]) == 1
        lines = {line.id for line in await rooms[1].parts.stores.debates.find_recent()}
        assert len(set(branches)) == len(rooms)
        assert {debate, *branches} < lines
        assert len(lines) == 1 + 2 * len(rooms), "a fork and a debate anew for each browser"
