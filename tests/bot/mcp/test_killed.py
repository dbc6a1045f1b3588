"""The server dies in the middle of a debate: the assistant starts it again, asks on with the same
id and gets the verdict; what was said is not said twice.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.bot.mcp.talking import called, command, repository
from tests.bot.mcp.test_http import ALL, connected, token
from tests.bot.room.serving import QUESTION, served
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from mcp import Client


def owner(folder: Path, id: str) -> int:
    """Returns the process that plays it, by the store."""
    with sqlite3.connect(f"file:{folder / 'debate.db'}?mode=ro", uri=True) as base:
        (holder,) = base.execute("select owner from debate where id = ?", (id,)).fetchone()
    return int(str(holder).rpartition(":")[2] or 0)


async def followed(client: Client, id: str, after: int = 0) -> list[Any]:
    """Returns the messages that follow an event, until the debate is over."""
    happened: list[Any] = []
    async with asyncio.timeout(PATIENCE):
        while True:
            news = await called(client, "wait_debate", debate=id, after_event=after)
            happened, after = happened + news["happened"], news["next_event"]
            if news["over"]:
                return happened


@pytest.mark.faults
async def test_a_killed_server_goes_on_where_it_was(tmp_path: Path) -> None:
    from mcp import Client

    start = command(repository(tmp_path), DEBATE_SCRIPTED_LATENCY="0.3")
    id, before = "", list[Any]()
    with suppress(Exception):  # the SDK has several for a server that is gone
        async with Client(start, mode="2026-07-28") as client:
            id = (await called(client, "start_debate", target="."))["debate"]
            async with asyncio.timeout(PATIENCE):
                while len(before) < 4:
                    news = await called(client, "wait_debate", debate=id, max_wait_s=0.1)
                    before = news["happened"]
            pid = owner(tmp_path, id)
            assert pid not in (0, os.getpid())
            os.kill(pid, signal.SIGKILL)
            await called(client, "wait_debate", debate=id)
    assert len(before) >= 4
    async with Client(start, mode="2026-07-28") as client:
        after = await followed(client, id)
        assert after[: len(before)] == before
        spoke = Counter(one["line"] for one in after if one["quoted"])
        assert max(spoke.values()) == 1
        again = await called(client, "start_debate", target=".")
        assert (again["debate"], again["started_before"]) == (id, True)
        assert (await called(client, "get_verdict", debate=id))["over"]


async def test_a_bot_that_starts_anew_goes_on_for_the_same_token(tmp_path: Path) -> None:
    wanted = {"target": QUESTION, "template": "panel", "budget_usd": 0.5}
    async with served(tmp_path, enters=False, DEBATE_SCRIPTED_LATENCY="600") as room:
        secret = await token(room.parts, *ALL)
        async with connected(room, secret=secret) as client:
            id = (await called(client, "start_debate", **wanted))["debate"]
            assert not (await called(client, "wait_debate", debate=id, max_wait_s=0))["over"]
    async with (
        served(tmp_path, enters=False) as room,
        connected(room, secret=secret) as client,
    ):
        assert (await called(client, "start_debate", **wanted))["debate"] == id
        assert await followed(client, id)
        assert (await called(client, "get_verdict", debate=id))["status"] == "finished"


@pytest.mark.faults
async def test_beside_a_bot_the_bot_plays_it(tmp_path: Path) -> None:
    from mcp import Client

    slow = {"DEBATE_SCRIPTED_LATENCY": "0.3"}
    async with (
        served(tmp_path, enters=False, DEBATE_SCRIPTED_LATENCY="0.3"),
        Client(command(repository(tmp_path), **slow), mode="2026-07-28") as client,
    ):
        id = (await called(client, "start_debate", target="."))["debate"]
        async with asyncio.timeout(PATIENCE):
            while not (who := owner(tmp_path, id)):  # noqa: ASYNC110 (a database has no event)
                await asyncio.sleep(0.01)
        assert who == os.getpid()
        assert await followed(client, id)
        assert (await called(client, "get_verdict", debate=id))["over"]
