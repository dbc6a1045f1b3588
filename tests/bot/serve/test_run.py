"""A run of a debate says whether it came to its end; a database that was away keeps no debate."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.debates.service import DebateService
from bot.jobs import Jobs
from bot.serve.runtime.local import LocalRuntime
from core.debate.errors import Fenced, NeedsNewer, StoreAway
from core.debate.events import DebateRequest
from storage.debates import Debates
from tests.bot.crashing import ASKER, PLACE
from tests.bot.debates.test_money import parts_at
from tests.origins import origin

AWAY = StoreAway("The database does not answer.")


@dataclass
class Ends:
    error: Exception | None
    debates: Debates | None = None
    queue: None = None
    owner: str = "host:1"
    advanced: list[str] = field(default_factory=list)

    async def advance(self, debate: str) -> None:
        self.advanced.append(debate)
        if self.debates is not None:
            await self.debates.claim(debate, self.owner)
        if self.error is not None:
            raise self.error


async def test_only_a_run_without_an_error_is_whole() -> None:
    newer = NeedsNewer("d1 is of a newer release.")
    for error in (None, Fenced(), newer, AWAY, OSError("no space left")):
        advancer: Any = Ends(error)
        assert await runtime_of(advancer).run("d1") is (error is None)
        assert advancer.advanced == ["d1"]


def runtime_of(advancer: Any) -> LocalRuntime:
    outbox: Any = None
    return LocalRuntime(advancer, outbox, None, (), Jobs())


async def taken(service: DebateService) -> str:
    wish = DebateRequest("triad", "Which way?", ASKER, PLACE)
    return await service.take(wish, origin("e1"))


async def test_a_debate_whose_database_was_away_waits_for_nobody_s_heartbeat(
    tmp_path: Path,
) -> None:
    async with parts_at(tmp_path) as parts:
        debates = parts.stores.debates
        id = await taken(parts.service)
        advancer: Any = Ends(AWAY, debates)
        runtime = runtime_of(advancer)
        assert not await runtime.run(id)
        assert await debates.find_runnable() == [], "its heartbeat is fresh"
        assert await runtime.release() == [id]
        assert await debates.find_runnable() == [id]
        assert await runtime.release() == []


async def test_a_debate_that_another_process_plays_stays_with_it(tmp_path: Path) -> None:
    async with parts_at(tmp_path) as parts:
        debates = parts.stores.debates
        id = await taken(parts.service)
        advancer: Any = Ends(AWAY, debates)
        runtime = runtime_of(advancer)
        await runtime.run(id)
        await debates.claim(id, "host:2")
        await runtime.release()
        line = await debates.get(id)
        assert line is not None
        assert line.owner == "host:2"
        await runtime.run(id)
        advancer.error = None
        await runtime.run(id)
        assert await runtime.release() == [], "it is played here again"
