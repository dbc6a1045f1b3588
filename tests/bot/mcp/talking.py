"""A coding assistant's side: the SDK's own client, and a repository with a change in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.end_to_end.shell import environment

CHANGED = "def pay(x):\n    for _ in range(3):\n        send(x)\n    return x\n"


def repository(folder: Path) -> Path:
    """With a line that is not committed."""
    for words in (["init", "-b", "main"], ["add", "."], ["commit", "-m", "first"]):
        (folder / "pay.py").write_text("def pay(x):\n    return x\n")
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)
    (folder / "pay.py").write_text(CHANGED)
    return folder


def command(folder: Path, **env: str) -> StdioServerParameters:
    """The real program, as an assistant starts it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-W", "error", "-m", "bot", "mcp"],
        env=environment(DEBATE_DATABASE_URL=str(folder / "debate.db"), **env),
        cwd=folder,
    )


async def called(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool returned, as its schema shows it."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Why a tool did not."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    return str(getattr(result.content[0], "text", ""))
