"""A debate that an assistant's server left behind is played on by the next one that is asked."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.debates.owners import this_process
from bot.mcp.local import LocalHost
from core.debate.events import Event, OpeningFailed
from core.debate.state import replay
from tests.storage.samples import AT, requested

OURS = "shell:mcp:a text:2026030112:0"
BEGUN: tuple[Event, ...] = (requested(),)


@dataclass
class Beside:
    """One stored debate with its maker and the process that plays it, and a player."""

    events: tuple[Event, ...]
    origin_key: str
    owner: str
    played: list[str] = field(default_factory=list)

    @property
    def debates(self) -> Beside:
        return self

    async def find(self, _id: str) -> Beside:
        return self

    async def play(self, id: str) -> None:
        self.played.append(id)
        await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("events", "origin_key", "owner", "taken"),
    [
        (BEGUN, OURS, "", True),
        (BEGUN, OURS, this_process(), False),
        (BEGUN, OURS, f"{this_process().rpartition(':')[0]}:{os.getppid()}", False),  # it lives
        (BEGUN, "asked:slack:1", "", False),
        (BEGUN, "shell:d1", "", False),
        ((*BEGUN, OpeningFailed("There is no such file.", AT)), OURS, "", False),
    ],
    ids=["left", "of this process", "of one that lives", "asked for", "a shell's", "over"],
)
async def test_what_nobody_plays_is_played_on_once(
    events: tuple[Event, ...], origin_key: str, owner: str, taken: bool
) -> None:
    beside: Any = Beside(events, origin_key, owner)
    desk: Any = SimpleNamespace(service=beside)
    unused: Any = None
    host = LocalHost(desk, unused, beside, Path())
    for _ in range(2):
        await host.play_on(replay(events))
        await asyncio.sleep(0)
    assert beside.played == ["d1"] * taken
    await host.close()
