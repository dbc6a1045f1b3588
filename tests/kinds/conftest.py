"""A house on a real SQLite file whose seats are scripted, for debates that run from a request to their end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot import settings
from bot.following import play
from bot.wiring import House
from core.debate import Debate
from core.events import Request


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    env = {
        "DEBATE_SCRIPTED": "1",
        "DEBATE_MODELS": "scripted",
        "DEBATE_DATABASE_URL": f"sqlite:///{tmp_path}/debate.db",
        "DEBATE_SCRIPTED_LEDGER": str(tmp_path / "ledger.jsonl"),
    }
    async with House.at(settings.read(env, tmp_path)) as made:
        yield made


async def held(house: House, template: str, target: str, **options: object) -> Debate:
    """The debate, played to its end."""
    request = Request(template, target, "shell:ann", "shell:ann", **options)  # type: ignore[arg-type]  # a test names its options
    return await play(house, await house.begin(await house.prepare(request)))
