"""Live pages reach a browser that comes late, comes back, or comes to another replica."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.models import Vendors
from adapters.models.weights import Progress
from adapters.room import live
from bot.room import speech
from core.debate.events import Event, VoteCast
from core.debate.log import Append
from core.debate.state import evolve
from core.debate.status import DebateStatus
from tests.bot.parts import until_status
from tests.bot.room.serving import Heard, heard, served
from tests.patience import PATIENCE

WATCHERS = 8


async def test_a_browser_hears_everything_that_its_page_does_not_show(tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    async with (
        served(tmp_path, DEBATE_SCRIPTED_LATENCY="0.05", DEBATE_SCRIPTED_HOLD=str(hold)) as room,
        asyncio.timeout(PATIENCE),
    ):
        id = (await room.debate(wait=False)).id
        spoken: dict[str, str] = {}
        last = 0
        async with room.web.get(f"{room.bot.address}/d/{id}/live?after=1") as answer:
            hold.unlink()
            async for one in heard(answer):
                if one.kind == "words":
                    for turn, (at, text) in one.data.items():
                        spoken[turn] = spoken.get(turn, "")[:at] + text
                elif one.kind == "parts":
                    assert one.id is not None
                    assert one.id > last
                    last = one.id
                else:
                    assert one.kind == "done"
                    break
        debate = await room.load(id)
        assert debate.final
        assert last == debate.count
        assert spoken
        for turn, text in spoken.items():
            statement = debate.statement(turn)
            assert statement is not None
            assert statement.text.startswith(text.strip()[:40])


async def test_one_that_comes_back_gets_the_difference(tmp_path: Path) -> None:
    async with served(tmp_path) as room, asyncio.timeout(PATIENCE):
        debate = await room.settled()
        address = f"{room.bot.address}/d/{debate.id}/live"
        async with room.web.get(address, headers={"Last-Event-ID": "2"}) as answer:
            stream = heard(answer)
            parts, done = await anext(stream), await anext(stream)
        sent = [part[0] for part in parts.data["parts"]]
        assert (parts.id, done.kind) == (debate.count, "done")
        assert {"p-verdict", "p-bar", "p-turn-t1", "p-round-1"} <= set(sent)
        assert "p-material" not in sent
        async with room.web.get(f"{address}?after={debate.count}") as answer:
            assert (await anext(heard(answer))).kind == "done"
        for odd in ("-1", "x", "9" * 30, "99999999"):
            async with room.web.get(address, headers={"Last-Event-ID": odd}) as answer:
                assert answer.status == 200


async def test_one_reader_for_all_who_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    async with (
        served(tmp_path, DEBATE_SCRIPTED_LATENCY="0.05", DEBATE_SCRIPTED_HOLD=str(hold)) as room,
        asyncio.timeout(PATIENCE),
    ):
        id = (await room.debate(wait=False, rounds=1)).id
        everybody = asyncio.Barrier(WATCHERS)
        reads = 0
        load = room.parts.stores.debates.load

        async def counted(debate: str, after: int = 0) -> list[Event]:
            nonlocal reads
            reads += after > 1
            return await load(debate, after)

        monkeypatch.setattr(room.parts.stores.debates, "load", counted)

        async def watched() -> int:
            async with room.web.get(f"{room.bot.address}/d/{id}/live?after=1") as answer:
                await everybody.wait()
                hold.unlink(missing_ok=True)
                return len([one async for one in until_done(answer)])

        counts = await asyncio.gather(*(watched() for _ in range(WATCHERS)))
        assert min(counts) >= 3
        assert reads <= (await room.load(id)).count


async def test_what_another_process_stores_is_shown_and_what_rests_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speech, "LOOK", 0.01)
    async with served(tmp_path) as room, asyncio.timeout(PATIENCE):
        id = (await room.debate(wait=False, rounds=1, vote_window=3_600.0)).id
        debate, reads = await until_status(room.parts, id, DebateStatus.WAITING), 0
        debates = room.parts.stores.debates
        load = debates.load

        async def loaded(debate: str, after: int = 0) -> list[Event]:
            nonlocal reads
            reads += 1
            return await load(debate, after)

        address = f"{room.bot.address}/d/{id}/live?after={debate.count}"
        async with room.web.get(address) as answer:
            await asyncio.sleep(0.05)
            monkeypatch.setattr(debates, "load", loaded)
            await asyncio.sleep(20 * speech.LOOK)
            assert reads <= 2
            log = await debates.claim(id, "shell:1")
            vote = VoteCast("shell:ben", debate.open.template.ballot[0].option)
            states = (debate, evolve(debate, vote))
            await log.append(Append(id, debate.count, (vote,), states=states))
            change = await anext(heard(answer))
            assert (change.kind, change.id) == ("parts", debate.count + 1)


async def test_whoever_waits_for_the_weights_of_a_model_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "NOTE", 0.01)
    progress: list[Progress] = []

    def make_models(**given: Any) -> Vendors:
        progress.append(given["progress"])
        return Vendors(**given)

    async with (
        served(tmp_path, make_models=make_models, DEBATE_SCRIPTED_LATENCY="600") as room,
        asyncio.timeout(PATIENCE),
    ):
        id = (await room.debate(wait=False, rounds=1)).id
        async with room.web.get(f"{room.bot.address}/d/{id}/live?after=1") as answer:
            progress[0]("Fetching a <b>model</b>", 430_000_000, 1_000_000_000)
            notes = (one.data["text"] async for one in heard(answer) if one.kind == "note")
            assert await anext(notes) == "Fetching a <b>model</b>: 430 of 1,000 MB"
            _, page, _ = await room.get(f"/d/{id}")
            assert "Fetching a &lt;b&gt;model&lt;/b&gt;: 430 of 1,000 MB" in page


async def until_done(answer: aiohttp.ClientResponse) -> AsyncIterator[Heard]:
    async for one in heard(answer):
        yield one
        if one.kind == "done":
            return


async def test_a_stream_ends_when_its_person_signs_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "IDENTIFIED", 0.02)
    async with served(tmp_path) as room, asyncio.timeout(PATIENCE):
        id = (await room.debate(wait=False, rounds=1, vote_window=3_600.0)).id
        count = (await until_status(room.parts, id, DebateStatus.WAITING)).count
        async with room.web.get(f"{room.bot.address}/d/{id}/live?after={count}") as answer:
            await room.post("/sign-out", {}, token=await room.token(), session="all")
            await answer.content.read()  # until the bot closes it
        assert (await room.get(f"/d/{id}"))[0] == 303
