"""Assistants that still speak by the SDK's first generation: a whole debate over both transports.

``old_client.lock`` is what ``uv pip compile --universal --python-version 3.11 --generate-hashes
--no-emit-index-url --no-annotate`` makes of ``mcp==1.30.0``.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.bot.mcp.talking import command, repository
from tests.bot.mcp.test_http import ALL, token
from tests.bot.room.serving import served
from tests.patience import PATIENCE

HERE = Path(__file__).parent


@pytest.mark.faults
async def test_an_old_client_holds_a_debate_over_both_transports(tmp_path: Path) -> None:
    python = tmp_path / "old" / "bin" / "python"
    await asyncio.to_thread(venv.create, tmp_path / "old")
    locked = ("--require-hashes", "--only-binary=:all:", "-r", HERE / "old_client.lock")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *locked)
    await asyncio.to_thread(subprocess.run, pip, check=True)
    (tmp_path / "work").mkdir()
    start = command(repository(tmp_path / "work"))
    async with served(tmp_path, enters=False) as room:
        words = (start.command, *start.args, "--", f"{room.bot.address}/mcp")
        ran = await asyncio.create_subprocess_exec(
            *(str(python), str(HERE / "old_client.py"), *words, await token(room.parts, *ALL)),
            env=start.env,
            cwd=tmp_path / "work",
            stdout=subprocess.PIPE,
        )
        async with asyncio.timeout(PATIENCE):
            out, _ = await ran.communicate()
    verdicts = [json.loads(line) for line in out.decode().splitlines()]
    assert ran.returncode == 0
    assert [one["template"] for one in verdicts] == ["code_review", "triad"]
    assert all(one["over"] and one["sdk"].startswith("1.") for one in verdicts)
    assert all(one["report"].startswith("> What follows") for one in verdicts)
