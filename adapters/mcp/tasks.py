"""The extension ``io.modelcontextprotocol/tasks``: for clients that declare it, a start is a task
whose result is the verdict. A debate is its own task: the store that holds it is the only one, so
any replica answers for it, also after a restart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputResponses,
    RequestParams,
    TextContent,
)

from adapters.mcp import results as r
from adapters.mcp.session import CallerDebates
from core.debate.errors import DebateError, Refused
from core.debate.material.escaping import show_hidden
from core.debate.state import Debate
from core.words.views.course.progress import state_line

EXTENSION = "io.modelcontextprotocol/tasks"
_START = "start_debate"
_VERSIONS = frozenset({"2026-07-28"})
_POLL = 5000
"""Milliseconds after which a client asks again."""

_DONE = {"resultType": "complete"}
"""The answer to a call that only has to be acknowledged."""

DebatesOf = Callable[[Any, str], CallerDebates]
_Context = ServerRequestContext[Any, Any]


class TaskParams(RequestParams):
    task_id: str


class UpdateParams(TaskParams):
    input_responses: InputResponses | None = None


class Tasks(Extension):
    """Handles the extension's calls. ``debates`` gives those of the request's sender."""

    identifier = EXTENSION

    def __init__(self, debates: DebatesOf) -> None:
        self._debates = debates

    def methods(self) -> Sequence[MethodBinding]:
        return (
            MethodBinding("tasks/get", TaskParams, self._get, _VERSIONS),
            MethodBinding("tasks/update", UpdateParams, self._update, _VERSIONS),
            MethodBinding("tasks/cancel", TaskParams, self._cancel, _VERSIONS),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: _Context, call_next: CallNext
    ) -> HandlerResult:
        result = await call_next(ctx)
        if params.name != _START or not _declared(ctx) or not isinstance(result, CallToolResult):
            return result
        if result.is_error or result.structured_content is None:
            return result
        try:
            debates = self._debates(ctx.request, "read")
        except Refused:  # a caller who may only start could not ask for the task
            return result
        with _refusals():
            debate = await debates.find(str(result.structured_content["debate"]))
        return _task(debate, "task")

    async def _get(self, ctx: _Context, params: TaskParams) -> HandlerResult:
        debates, debate = await self._found(ctx, params, "read")
        made = _task(debate)
        if debate.over:
            page = debates.page(debate.id)
            verdict = await asyncio.to_thread(r.verdict_of, debate, page)
            made["result"] = _result(verdict, page)
        return made

    async def _update(self, ctx: _Context, params: UpdateParams) -> HandlerResult:
        """Acknowledges input to a task; a debate asks for none while it runs."""
        await self._found(ctx, params, "read")
        return _DONE.copy()

    async def _cancel(self, ctx: _Context, params: TaskParams) -> HandlerResult:
        debates, debate = await self._found(ctx, params, "act")
        if not debate.over:
            with _refusals():
                await debates.stop(debate.id)
        return _DONE.copy()

    async def _found(
        self, ctx: _Context, params: TaskParams, scope: str
    ) -> tuple[CallerDebates, Debate]:
        """Returns the debate behind a task. Raises ``MCPError`` for a task that is not the
        caller's.
        """
        require_client_extension(ctx, EXTENSION)
        with _refusals():
            debates = self._debates(ctx.request, scope)
            return debates, await debates.find(params.task_id)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except DebateError as error:
        raise MCPError(code=INVALID_PARAMS, message=show_hidden(str(error))) from None


def _declared(ctx: _Context) -> bool:
    able = ctx.session.client_capabilities
    return (
        ctx.protocol_version in _VERSIONS
        and able is not None
        and EXTENSION in (able.extensions or {})
    )


def _task(debate: Debate, result_type: str = _DONE["resultType"]) -> dict[str, Any]:
    """Returns a debate as a task of the extension, which never expires, as debates do not."""
    changed = debate.concluded.at if debate.concluded is not None else datetime.now(UTC)
    return {
        "resultType": result_type,
        "taskId": debate.id,
        "status": "completed" if debate.over else "working",
        "statusMessage": show_hidden(f"Debate {debate.id}: {state_line(debate)}"),
        "createdAt": debate.requested.at.isoformat(),
        "lastUpdatedAt": changed.isoformat(),
        "ttlMs": None,
        "pollIntervalMs": _POLL,
    }


def _result(verdict: r.Verdict, page: str) -> dict[str, Any]:
    """Returns the result that the start would have returned, had it waited."""
    started = r.Started(
        debate=verdict.debate,
        status=verdict.status,
        url=page,
        estimate_usd=None,
        started_before=False,
        verdict=verdict,
    )
    made = CallToolResult(
        content=[TextContent(type="text", text=verdict.model_dump_json(indent=2))],
        structured_content=started.model_dump(mode="json"),
    )
    return made.model_dump(by_alias=True, mode="json", exclude_none=True)
