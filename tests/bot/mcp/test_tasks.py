"""Clients that know tasks: a start is one call whose result is the verdict."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.bot.mcp.talking import called, here
from tests.bot.mcp.test_http import ALL, connected
from tests.bot.room.serving import QUESTION, served

if TYPE_CHECKING:
    from mcp import Client

WANTED = {"target": QUESTION, "template": "panel", "budget_usd": 0.2}
SCRIPTED: dict[str, Any] = {"DEBATE_MODELS": "scripted", "DEBATE_SCRIPTED": "1"}


@asynccontextmanager
async def over(transport: str, folder: Path, knows: Sequence[Any]) -> AsyncIterator[Client]:
    if transport == "here":
        async with here(folder, extensions=knows, **SCRIPTED) as (client, _):
            yield client
    else:
        async with (
            served(folder, enters=False) as room,
            connected(room, *ALL, mode="2026-07-28", extensions=knows) as client,
        ):
            yield client


@pytest.mark.parametrize("transport", ["here", "http"])
async def test_a_start_is_a_task_whose_result_is_the_verdict(
    tmp_path: Path, transport: str
) -> None:
    from mcp import MCPError

    from tests.bot.mcp.task_client import KnowsTasks, ask_task

    knows = KnowsTasks()
    async with over(transport, tmp_path, [knows]) as client:
        done = await called(client, "start_debate", **WANTED)
        (created,) = knows.created
        assert created.task_id == done["debate"]
        assert done["verdict"] == await called(client, "get_verdict", debate=done["debate"])
        assert done["verdict"]["over"]
        for method in ("tasks/update", "tasks/cancel"):
            assert (await ask_task(client.session, method, created.task_id)).status == ""
        with pytest.raises(MCPError, match="There is no debate"):
            await ask_task(client.session, "tasks/get", "nowhere")


async def test_who_does_not_know_tasks_gets_none(tmp_path: Path) -> None:
    from mcp import MCPError

    from tests.bot.mcp.task_client import ask_task

    async with over("here", tmp_path, []) as client:
        begun = await called(client, "start_debate", **WANTED)
        assert begun["verdict"] is None
        with pytest.raises(MCPError) as refused:
            await ask_task(client.session, "tasks/get", begun["debate"])
        assert refused.value.error.code == -32021
