"""The same forge, log and shell as in the end-to-end tests, a server of databases and a room."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.room.serving import Served, served
from tests.end_to_end.conftest import debate, github, log, review, same_draw
from tests.end_to_end.readers import forked_readers
from tests.end_to_end.shell import Command
from tests.pg import postgres_server, postgres_url

__all__ = [
    "Command", "debate", "forked_readers", "github", "log", "postgres_server", "postgres_url",
    "review", "same_draw",
]  # fmt: skip


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Served]:
    """Yields a room with the person of the shell in it."""
    async with served(tmp_path) as opened:
        yield opened
