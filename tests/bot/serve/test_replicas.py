"""Several replicas on one PostgreSQL, frozen and killed: the survivors finish every debate, and
nothing happens twice.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.jobs import Jobs
from bot.serve.runtime.procrastinate import ReplicaRuntime, Rhythm
from bot.wire.bot import make_runtime
from bot.wire.parts import Parts, open_parts
from core.debate import commands as c
from core.debate.events import DebateRequest
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import until_status
from tests.bot.serve.replica import QUICK
from tests.origins import origin
from tests.patience import PATIENCE
from tests.project import ROOT
from tests.standins.chat import RecordingChat


@contextmanager
def replica(url: str, folder: Path, *direct: str) -> Iterator[subprocess.Popen[str]]:
    """Runs a bot and kills it at the end if it still lives."""
    command = [sys.executable, "-m", "tests.bot.serve.replica", url, str(folder), *direct]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("ready")
            yield process
        finally:
            process.kill()


async def start_debates(parts: Parts, number: int) -> list[str]:
    """Stores that many debates, each under its own event."""
    question = "Should the queue of jobs live in PostgreSQL?"
    request = DebateRequest("triad", question, ASKER, PLACE, vote_window=0.0)
    return [await parts.service.take(request, origin(f"event-{n}")) for n in range(number)]


async def until(parts: Parts, done: int, seconds: float) -> None:
    """Waits until that many debates are over and their posts have left."""
    deadline = time.monotonic() + seconds
    while True:
        counts = await parts.stores.debates.count_by_status()
        backlog = await parts.stores.outbox.count_backlog()
        if counts.get("finished", 0) >= done and not backlog.open:
            return
        assert time.monotonic() < deadline, f"after {seconds:g} s: {counts}, {backlog}"
        await asyncio.sleep(0.1)


async def owner(parts: Parts, process: subprocess.Popen[str], number: int = 1) -> None:
    """Waits until the process writes to at least that many debates."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        lines = await parts.stores.debates.find_recent(statuses=["running"])
        own = [line for line in lines if line.owner.endswith(f":{process.pid}")]
        if sum(line.events > 8 for line in own) >= number:
            return
        await asyncio.sleep(0.05)
    pytest.fail("the replica took no debate")


async def everything_once(parts: Parts, folder: Path, ids: list[str]) -> None:
    posts = Counter(RecordingChat(folder / "chat.jsonl").keys())
    assert [key for key, n in posts.items() if n > 1] == []
    for id in ids:
        debate = await parts.service.load(id)
        assert debate.status == "finished"
        assert not debate.failed
        assert posts[f"{id}:verdict/0"] == 1
        assert posts[f"{id}:root/0"] == 1


def replicas(parts: Parts) -> ReplicaRuntime:
    runtime = make_runtime(parts, QUICK, Jobs())
    assert isinstance(runtime, ReplicaRuntime)
    return runtime


async def frozen_then_survivor_killed(url: str, folder: Path, debates: int, seconds: float) -> None:
    """Plays the hardest case: one replica freezes, the other takes over, the first wakes and is
    fenced, then the second dies.
    """
    async with open_parts(settings_for(url, folder), shell=False) as parts:
        with replica(url, folder) as first:
            ids = await start_debates(parts, debates)
            await owner(parts, first)
            first.send_signal(signal.SIGSTOP)
            with replica(url, folder) as second:
                await owner(parts, second)
                first.send_signal(signal.SIGCONT)
                await asyncio.sleep(0.2)
                second.kill()
                second.wait()
                await until(parts, debates, seconds)
        await everything_once(parts, folder, ids)


def test_the_rhythm_finds_a_frozen_replica_in_time_and_takes_no_living_one_for_it() -> None:
    own = Rhythm()
    until_another_plays = own.stalled + own.sweep + own.look
    assert until_another_plays < 15
    assert own.stalled >= 4 * own.heartbeat


async def test_a_command_from_another_process_is_told_of_and_resting_costs_nothing(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.commands.SLOW_LOOK", 86_400.0)
    slow = settings_for(postgres_url, tmp_path, env={"DEBATE_SCRIPTED_LATENCY": "600"})
    quick = settings_for(postgres_url, tmp_path)
    async with open_parts(slow, shell=False) as one, open_parts(quick, shell=False) as two:
        runtime = replicas(one)
        await runtime.start()
        (id,) = await start_debates(two, 1)
        await until_status(two, id, "running")
        await two.stores.queue.enqueue(id, c.Pause(ASKER), "click-1")
        await until_status(two, id, "paused")
        for _ in range(int(PATIENCE / 0.02)):
            if not runtime.running:
                break
            await asyncio.sleep(0.02)
        assert not runtime.running, "a paused debate holds no job"
        await runtime.stop()

        runtime = replicas(two)
        await runtime.start()
        await one.stores.queue.enqueue(id, c.Resume(ASKER), "click-2")
        await until_status(one, id, "finished")
        await runtime.stop()


@pytest.mark.faults
async def test_frozen_woken_and_then_its_survivor_killed(postgres_url: str, tmp_path: Path) -> None:
    await frozen_then_survivor_killed(postgres_url, tmp_path, 2, PATIENCE)


@pytest.mark.faults
async def test_a_stopped_replica_hands_its_debates_over_at_once(
    postgres_url: str, tmp_path: Path
) -> None:
    async with open_parts(settings_for(postgres_url, tmp_path), shell=False) as parts:
        with replica(postgres_url, tmp_path) as first, replica(postgres_url, tmp_path) as second:
            ids = await start_debates(parts, 2)
            await asyncio.sleep(0.5)
            first.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(first.wait, PATIENCE) == 0
            await until(parts, 2, PATIENCE)
            await everything_once(parts, tmp_path, ids)
            assert second.poll() is None


@pytest.mark.faults
@pytest.mark.timeout(600)
async def test_many_debates_frozen_woken_and_killed(postgres_url: str, tmp_path: Path) -> None:
    for run in range(5):
        folder = tmp_path / str(run)
        folder.mkdir()
        await frozen_then_survivor_killed(postgres_url, folder, 6, 90)
        async with open_parts(settings_for(postgres_url, folder)) as parts:
            for line in await parts.stores.debates.find_recent():
                assert line.status == "finished"
        clear(postgres_url)


@pytest.mark.faults
@pytest.mark.timeout(600)
async def test_replicas_die_one_after_another(postgres_url: str, tmp_path: Path) -> None:
    """Ten deaths while a dozen debates run on two replicas; a new one always comes."""
    async with open_parts(settings_for(postgres_url, tmp_path), shell=False) as parts:
        ids = await start_debates(parts, 12)
        for _ in range(10):
            with replica(postgres_url, tmp_path) as one:
                await asyncio.sleep(0.9)
                os.kill(one.pid, signal.SIGKILL)
        with replica(postgres_url, tmp_path):
            await until(parts, len(ids), 120)
        await everything_once(parts, tmp_path, ids)


def clear(url: str) -> None:
    import psycopg

    with psycopg.connect(url.replace("postgresql+psycopg", "postgresql")) as conn:
        conn.execute("DELETE FROM debate")
        conn.execute("DELETE FROM procrastinate_jobs")
