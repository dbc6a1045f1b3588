"""A command reaches the debate's writer once, from any process, and its sender can learn what came
of it.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa

from core.debate.commands import CastVote, Pause, RaiseChallenge, Stop
from core.debate.log import Append
from storage.commands import CommandQueue, QueuedCommand
from storage.database import Database
from storage.debates import Debates
from storage.schema import open_database
from tests.patience import PATIENCE
from tests.storage.conftest import ON_SQLITE
from tests.storage.samples import requested


async def test_a_command_is_given_once_and_applied_with_its_events(db: Database) -> None:
    debates, signals = Debates(db), CommandQueue(db)
    await debates.create(requested(), "k")
    challenge, vote = (
        RaiseChallenge("slack:T1/U1", "Why?", ("P1",)),
        CastVote("slack:T1/U2", "approve"),
    )
    assert await signals.enqueue("d1", challenge, "E1") is True
    assert await signals.enqueue("d1", vote, "E2") is True
    assert await signals.enqueue("d1", challenge, "E1") is False
    pending = await signals.load_waiting("d1")
    assert [(s.command, s.source_key) for s in pending] == [(challenge, "E1"), (vote, "E2")]
    assert [await signals.find_answer(key) for key in ("E1", "E2")] == [None, None]

    log = await debates.claim("d1", "me")
    await log.append(Append("d1", 1, applied=(pending[0].id,)))
    await log.append(
        Append("d1", 1, applied=(pending[1].id,), answers={pending[1].id: "Voting is over."})
    )
    assert await signals.load_waiting("d1") == []
    assert [await signals.find_answer(key) for key in ("E1", "E2")] == ["", "Voting is over."]
    with pytest.raises(KeyError):
        await signals.find_answer("E3")
    with pytest.raises(KeyError):
        await signals.enqueue("d9", vote, "E4")


async def test_whoever_waits_for_an_answer_looks_often_however_long_it_takes(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    signals, pauses = CommandQueue(db), list[float]()
    await Debates(db).create(requested(), "k")
    await signals.enqueue("d1", Pause("u"), "E1")

    async def slept(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 20:
            log = await Debates(db).claim("d1", "me")
            (pending,) = await signals.load_waiting("d1")
            await log.append(Append("d1", 1, applied=(pending.id,)))

    monkeypatch.setattr("storage.commands.asyncio.sleep", slept)
    assert await signals.wait_for_answer("E1", PATIENCE) == ""
    assert len(pauses) == 20
    assert max(pauses) <= 0.2, "an answer is seen a moment after it was given"


@ON_SQLITE
async def test_the_bell_rings_for_this_debate_only(db: Database) -> None:
    debates, signals = Debates(db), CommandQueue(db)
    for id in ("d1", "d2"):
        await debates.create(requested(id), id)
    mine, other = signals.wake_event("d1"), signals.wake_event("d2")
    await signals.enqueue("d1", Pause("u"), "E1")
    assert mine.is_set()
    assert not other.is_set()
    assert signals.wake_event("d1") is mine
    signals.forget("d1")
    assert signals.wake_event("d1") is not mine
    signals.notify()
    assert other.is_set()


async def test_another_process_is_heard(
    db: Database, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.commands.SLOW_LOOK", 86_400.0)
    news: asyncio.Queue[str] = asyncio.Queue()
    async with CommandQueue(db) as here:
        here.subscribe(news.put_nowait)
        wake_event = here.wake_event("d1")
        elsewhere = await open_database(database_address)
        try:
            if not db.sqlite:
                assert await asyncio.wait_for(news.get(), PATIENCE) == ""  # listening
            await Debates(elsewhere).create(requested(), "k")
            assert await asyncio.wait_for(news.get(), PATIENCE) == "d1"
            wake_event.clear()
            assert await CommandQueue(elsewhere).enqueue("d1", Stop("u"), "E1")
            await asyncio.wait_for(wake_event.wait(), PATIENCE)
            assert [s.command for s in await here.load_waiting("d1")] == [Stop("u")]
        finally:
            await elsewhere.close()


@pytest.mark.parametrize("database_address", ["postgres"], indirect=True)
async def test_a_broken_listening_connection_is_made_again(
    db: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("storage.database.listening._RECONNECT", 0.05)
    monkeypatch.setattr("storage.commands.SLOW_LOOK", 86_400.0)
    news: asyncio.Queue[str] = asyncio.Queue()
    await Debates(db).create(requested(), "k")
    async with CommandQueue(db) as here:
        here.subscribe(news.put_nowait)
        assert await asyncio.wait_for(news.get(), PATIENCE) == ""
        kill = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
            "current_database() AND query LIKE 'LISTEN%'"
        )
        assert await db.read(lambda conn: conn.execute(sa.text(kill)).scalars().all()) == [True]
        assert await asyncio.wait_for(news.get(), PATIENCE) == ""
        assert await CommandQueue(db).enqueue("d1", Pause("u"), "E1")
        assert await asyncio.wait_for(news.get(), PATIENCE) == "d1"
    (record,) = caplog.records
    assert (record.levelname, record.getMessage(), bool(record.exc_info)) == (
        "WARNING",
        "Listening for commands broke off; trying again.",
        True,
    ), "with its exception, by which the log says it once a minute while the database is absent"


async def test_the_slow_look_catches_what_nobody_told(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.commands.SLOW_LOOK", 0.05)
    news: asyncio.Queue[str] = asyncio.Queue()
    async with CommandQueue(db) as here:
        here.subscribe(news.put_nowait)
        for _ in range(3):
            assert await asyncio.wait_for(news.get(), PATIENCE) == ""


async def test_the_slow_look_wakes_a_debate_as_long_as_a_command_waits_for_it(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.commands.SLOW_LOOK", 0.05)
    await Debates(db).create(requested(), "k")
    async with CommandQueue(db) as here:
        wake_event = here.wake_event("d1")
        await here.enqueue("d1", Pause("u"), "E1")
        for _ in range(3):
            wake_event.clear()
            await asyncio.wait_for(wake_event.wait(), PATIENCE)


@ON_SQLITE
async def test_a_signal_waits_for_its_writer_however_long(db: Database) -> None:
    debates, signals = Debates(db), CommandQueue(db)
    await debates.create(requested(), "k")
    log = await debates.claim("d1", "me")
    await log.append(Append("d1", 1, status="paused"))
    await log.release()
    assert await debates.find_runnable() == []
    await signals.enqueue("d1", Stop("u"), "E1")
    assert await debates.find_runnable(stale=timedelta(0)) == ["d1"]
    assert isinstance((await signals.load_waiting("d1"))[0], QueuedCommand)
