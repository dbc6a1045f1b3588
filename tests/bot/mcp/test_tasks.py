"""Clients that know tasks: a start is one call whose result is the verdict."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from mcp import Client
from mcp.client import ClaimContext, ClientExtension, ResultClaim
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Request, RequestParams, Result

from tests.bot.mcp.talking import called, here
from tests.bot.mcp.test_http import ALL, connected
from tests.bot.room.serving import QUESTION, served
from tests.patience import PATIENCE

WANTED = {"target": QUESTION, "template": "panel", "budget_usd": 0.2}
SCRIPTED: dict[str, Any] = {"DEBATE_MODELS": "scripted", "DEBATE_SCRIPTED": "1"}


class Created(Result):
    """The answer to a start, as the extension's schema has it."""

    result_type: Literal["task"]
    task_id: str
    status: Literal["working", "completed"]
    created_at: datetime
    last_updated_at: datetime
    ttl_ms: int | None
    poll_interval_ms: int


class Asked(RequestParams):
    task_id: str


class Ask(Request[Asked, str]):
    """``tasks/get`` and its like."""

    name_param: ClassVar[str | None] = "taskId"


class State(Result):
    result_type: Literal["complete"]
    status: str = ""
    result: dict[str, Any] | None = None


async def ask_task(session: Any, method: str, id: str) -> State:
    """Asks the server for the state of a task."""
    state: State = await session.send_request(Ask(method=method, params=Asked(task_id=id)), State)
    return state


class KnowsTasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.created: list[Created] = []

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return (ResultClaim(result_type="task", model=Created, resolve=self._resolve),)

    async def _resolve(self, created: Created, context: ClaimContext) -> CallToolResult:
        self.created.append(created)
        async with asyncio.timeout(PATIENCE):
            while True:
                state = await ask_task(context.session, "tasks/get", created.task_id)
                if state.status == "completed":
                    return CallToolResult.model_validate(state.result)
                await asyncio.sleep(0.05)


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
    async with over("here", tmp_path, []) as client:
        begun = await called(client, "start_debate", **WANTED)
        assert begun["verdict"] is None
        with pytest.raises(MCPError) as refused:
            await ask_task(client.session, "tasks/get", begun["debate"])
        assert refused.value.error.code == -32021
