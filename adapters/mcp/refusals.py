"""Refusals of a tool's call: the form of each argument, and the next step. The SDK would give its
checker's words.
"""

from __future__ import annotations

from typing import Any, TypeVar

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError, UnexpectedToolError
from mcp_types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult
from pydantic import ValidationError

from adapters.mcp import instructions

T = TypeVar("T")


class PlainServer(MCPServer[T]):
    """The SDK's server, whose refusals are sentences."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[T, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        if name not in {tool.name for tool in await self.list_tools()}:
            raise ToolError(instructions.NO_SUCH_TOOL)
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as error:
            raise UnexpectedToolError(instructions.BROKE) from error
        except ToolError as error:
            match error.__cause__:
                case ValidationError() as refused:
                    raise ToolError(describe(refused)) from error
                case ToolError() | ResourceError() as refused:
                    raise ToolError(str(refused)) from error
                case _:
                    raise

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[T, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:  # an unknown prompt, or arguments that it does not take
            raise MCPError(INVALID_PARAMS, str(error)) from None


def describe(refused: ValidationError) -> str:
    """Returns a sentence on each refused argument: the form that it must have."""
    names = dict.fromkeys(str(error["loc"][0]) for error in refused.errors() if error["loc"])
    return " ".join(
        instructions.ARGUMENTS[name] for name in names if name in instructions.ARGUMENTS
    )
