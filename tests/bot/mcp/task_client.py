"""A client that knows tasks: it asks on until the task that a start became is done."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar, Literal

from mcp.client import ClaimContext, ClientExtension, ResultClaim
from mcp_types import CallToolResult, Request, RequestParams, Result

from tests.patience import PATIENCE


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
