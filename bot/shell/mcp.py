"""``debate mcp``: the tools for a coding assistant that starts this command itself."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from adapters.models.agents import require_none
from bot.settings import Settings
from bot.shell.maintain import require_only
from bot.shell.person import person
from bot.shell.playing.run import shell_caller
from bot.wire.parts import open_parts
from bot.wire.workers import open_workers
from core.debate.errors import BadInput, brought_by


async def mcp(typed: Sequence[str], settings: Settings) -> int:
    """Serves standard input until it ends. Raises ``BadInput`` without the SDK."""
    require_only(typed, (), "mcp")
    if find_spec("mcp") is None:
        raise BadInput(f"debate mcp needs a part that is not installed: {brought_by('mcp')}")
    from adapters.mcp.server import DebateAccess, make_server
    from bot.wire.room import open_tools

    require_none(settings.models)
    caller = shell_caller(person())
    async with (
        open_workers(own=True) as workers,
        open_parts(settings, workers=workers) as parts,
        open_tools(parts, caller, Path.cwd()) as debates,
    ):
        server = make_server(DebateAccess(lambda _request, _scope: debates), local=True)
        await server.run_stdio_async()
    return 0
